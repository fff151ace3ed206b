// Numbers as people read them.

const MINUS = "\u2212";

/** About `digits` significant digits, never an exponent for what is on a human scale; beside `whole`, rounding is zero. */
export function shown(value: number, digits = 3, whole = 0): string {
  if (Math.abs(value) < 1e-12 * whole) return "0";
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "\u2013" : value > 0 ? "\u221e" : `${MINUS}\u221e`;
  const size = Math.abs(value);
  let text: string;
  if (size !== 0 && (size >= 1e5 || size < 1e-4)) text = value.toExponential(digits - 1);
  else {
    const before = size >= 1 ? Math.floor(Math.log10(size)) + 1 : 1;
    text = value.toFixed(Math.max(0, Math.min(4, digits - before)));
    if (Number(text) === 0) text = text.replace("-", "");
  }
  return text.replace("-", MINUS);
}

/** A number for a field: four digits or four decimals, what is less is zero. */
export function field(value: number): string {
  const size = Math.abs(value);
  const text = value.toFixed(size >= 100 ? 1 : size >= 10 ? 2 : size >= 1 ? 3 : 4);
  return (Number(text) === 0 ? "0" : text).replace("-", MINUS);
}

/** What a person typed: a number, or null where it is none. A minus sign and a decimal comma are understood. */
export function typed(text: string): number | null {
  const plain = text.trim().replace(MINUS, "-").replace(",", ".");
  if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain)) return null;
  return Number(plain);
}

export const DEGREE = Math.PI / 180;
