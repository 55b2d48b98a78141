/** Numbers as text: 32-bit floats, little-endian, in base64. */

/** What is not finite stays so. */
export function encodeFloats(values: ArrayLike<number>): string {
  const bytes = new Uint8Array(4 * values.length);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < values.length; i++) view.setFloat32(4 * i, values[i], true);
  // String.fromCharCode takes its characters as arguments, of which engines allow some ten thousand
  const piece = 8192;
  let characters = "";
  for (let i = 0; i < bytes.length; i += piece) characters += String.fromCharCode(...bytes.subarray(i, i + piece));
  return btoa(characters);
}

export function decodeFloats(text: string): Float32Array {
  const characters = atob(text);
  if (characters.length % 4 !== 0) throw new RangeError(`${characters.length} bytes are no row of 32-bit floats`);
  const view = new DataView(Uint8Array.from(characters, (character) => character.charCodeAt(0)).buffer);
  return Float32Array.from({ length: characters.length / 4 }, (_, i) => view.getFloat32(4 * i, true));
}
