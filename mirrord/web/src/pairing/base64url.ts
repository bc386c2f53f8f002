/** Bytes as base64 for addresses, without padding. */

export type Bytes = Uint8Array<ArrayBuffer>;

export function toBase64url(bytes: Bytes): string {
  return btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, "-")
    .replace(/\//g, "_")
    .replace(/=+$/, "");
}

/** The bytes, or undefined when it is no base64url or not of this length. */
export function fromBase64url(text: string, length: number): Bytes | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return undefined;
  try {
    const bytes = Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (character) => character.charCodeAt(0));
    return bytes.length === length ? bytes : undefined;
  } catch {
    return undefined;
  }
}
