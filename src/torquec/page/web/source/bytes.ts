// Base64 to bytes and numbers.

export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let k = 0; k < binary.length; k += 1) bytes[k] = binary.charCodeAt(k);
  return bytes;
}

export function doublesOf(text: string): Float64Array {
  return new Float64Array(bytesOf(text).buffer);
}

/** Decompressed bytes of deflate data in zlib format. */
export async function inflated(bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}
