/** The lines of the report, and whether every function agrees with its recorded states. */
export function check(model) {
  const lines = [];
  let passed = true;
  for (const [name, { inputs, outputs, tolerance }] of Object.entries(RECORDED)) {
    let worst = 0;
    inputs.forEach((given, k) => {
      const results = model[name](...given);
      const found = results instanceof Float64Array ? [results] : Object.values(results);
      found.forEach((values, port) => { worst = Math.max(worst, difference(values, outputs[k][port])); });
    });
    const agrees = worst <= tolerance;
    passed &&= agrees;
    const verdict = agrees ? "ok    " : "FAILED";
    lines.push(`${verdict} ${name}: error ${worst.toExponential(2)}, tolerance ${tolerance}`);
  }
  return { lines, passed };
}

/** Largest difference from the recorded results, relative to the largest of these; null stands for a number that is not finite. */
function difference(values, recorded) {
  let largest = 0;
  let worst = 0;
  recorded.forEach((value, k) => {
    if (value === null ? !Number.isFinite(values[k]) : values[k] === value) return;
    const error = value === null ? Infinity : Math.abs(values[k] - value);
    worst = error <= Infinity ? Math.max(worst, error) : Infinity;
  });
  for (const value of recorded) largest = Math.max(largest, Math.abs(value ?? 0));
  return worst > 0 && largest > 0 ? worst / largest : worst;
}

const RECORDED = @RECORDED@;
