// @HEADING@
//
//     import { load } from "./@PREFIX@.js";
//     const model = await load();
//     @EXAMPLE@
//
// Units are SI and radians unless a function says otherwise; matrices are row by row. A function takes arrays of
// numbers and returns a new Float64Array, or an object of them if it has several outputs. `name.batch(count, ...)`
// takes `count` states one after the other and returns their results likewise, if the module was made with batches.

const FUNCTIONS = @FUNCTIONS@;

/** Instantiate the module: from its bytes, or from the file beside this one. */
export async function load(bytes) {
  const { instance } = await WebAssembly.instantiate(bytes ?? (await read()), {});
  return wrap(instance);
}

/** The same without a promise, for a module that is already compiled, or small enough for the page's main thread. */
export function loadSync(module) {
  const compiled = module instanceof WebAssembly.Module ? module : new WebAssembly.Module(module);
  return wrap(new WebAssembly.Instance(compiled, {}));
}

async function read() {
  const place = new URL("./@PREFIX@.wasm", import.meta.url);
  if (place.protocol === "file:" && typeof process !== "undefined") {
    return (await import("node:fs/promises")).readFile(place);
  }
  const response = await fetch(place);
  if (!response.ok) throw new Error(`${place}: ${response.status} ${response.statusText}`);
  return response.arrayBuffer();
}

function wrap(instance) {
  const { memory, __free: free, ...exported } = instance.exports;
  const model = {};
  let end = free.value;
  const size = (shape) => shape.reduce((product, n) => product * n, 1);
  const reserve = (from, bytes) => {
    const missing = from + bytes - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / 65536));
    return from;
  };
  const views = (addresses, lengths) =>
    addresses.map((address, k) => new Float64Array(memory.buffer, address, lengths[k]));
  const copyIn = (inputs, places, given) => {
    const [needed, found] = [inputs.length, given.length];
    if (found !== needed) throw new TypeError(`${needed} arrays are needed, not ${found}`);
    for (let k = 0; k < inputs.length; k += 1) {
      if (given[k]?.length !== places[k].length) {
        const length = given[k]?.length ?? "no";
        throw new TypeError(`${inputs[k].name} has ${length} numbers, expected ${places[k].length}`);
      }
      places[k].set(given[k]);
    }
  };
  const copyOut = (outputs, places, first) => {
    if (outputs.length === 1) return places[first].slice();
    return Object.fromEntries(outputs.map((port, k) => [port.name, places[first + k].slice()]));
  };

  for (const [name, { symbol, inputs, outputs }] of Object.entries(FUNCTIONS)) {
    const ports = [...inputs, ...outputs];
    const sizes = ports.map((port) => size(port.shape));
    const addresses = sizes.map((n) => {
      const address = reserve(end, 8 * n);
      end += 8 * n;
      return address;
    });
    const kernel = exported[symbol];
    let own = [];
    const call = (...given) => {
      if (own.length === 0 || own[0].buffer !== memory.buffer) own = views(addresses, sizes);
      copyIn(inputs, own, given);
      kernel(...addresses);
      return copyOut(outputs, own, inputs.length);
    };
    const batched = exported[`${symbol}_batch`];
    if (batched) {
      call.batch = (count, ...given) => {
        if (!Number.isInteger(count) || count < 0) throw new TypeError("count is a whole number from 0 on");
        const pointers = Math.ceil(end / 16) * 16;
        let at = pointers + Math.ceil((4 * ports.length) / 16) * 16;
        const places = sizes.map((n) => {
          at += 8 * n * count;
          return at - 8 * n * count;
        });
        reserve(pointers, at - pointers);
        new Uint32Array(memory.buffer, pointers, ports.length).set(places);
        const rows = views(places, sizes.map((n) => n * count));
        copyIn(inputs, rows, given);
        batched(BigInt(count), pointers, pointers + 4 * inputs.length);
        return copyOut(outputs, rows, inputs.length);
      };
    }
    model[name] = call;
  }
  return model;
}
