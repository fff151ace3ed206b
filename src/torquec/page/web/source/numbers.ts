// Numbers as people read them.

const MINUS = "\u2212";

/**
 * A number with so many significant digits, without an exponent for everyday sizes. With `whole`, the size of the larger
 * quantity that it belongs to, it has only the decimals that matter beside that.
 */
export function shown(value: number, digits = 3, whole = 0): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "\u2013" : value > 0 ? "\u221e" : `${MINUS}\u221e`;
  const size = whole > 0 ? whole : Math.abs(value);
  if (size === 0) return "0";
  const order = Math.floor(Math.log10(size));
  if (whole === 0 && (order >= 5 || order < -4)) return value.toExponential(digits - 1).replaceAll("-", MINUS);
  const text = value.toFixed(Math.max(0, Math.min(8, digits - order - (whole > 0 ? 0 : 1))));
  return (Number(text) === 0 ? "0" : text).replace("-", MINUS);
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
