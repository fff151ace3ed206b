// Compares @PREFIX@.wasm with recorded results: node selftest.mjs; exit status 0 when all agree. Written by torquec.

import { load } from "./@PREFIX@.js";

@CHECKS@
const { lines, passed } = check(await load());
console.log(lines.join("\n"));
process.exitCode = passed ? 0 : 1;
