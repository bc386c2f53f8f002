/** The pairing code: ten characters of Crockford's base 32, shown as two groups. Pure. */

export const CODE_CHARACTERS = 10;
const ALPHABET = /^[0-9A-HJKMNP-TV-Z]{10}$/;

/** The code as it is proved with, or undefined when this is none. Lower case, spaces, dashes, O for 0 and I or L for 1 are forgiven. */
export function readCode(typed: string): string | undefined {
  const code = typed
    .toUpperCase()
    .replace(/[\s\u2010-\u2015-]/g, "")
    .replace(/O/g, "0")
    .replace(/[IL]/g, "1");
  return ALPHABET.test(code) ? code : undefined;
}

/** `K7QF2-M9XTB` */
export function showCode(code: string): string {
  return `${code.slice(0, CODE_CHARACTERS / 2)}-${code.slice(CODE_CHARACTERS / 2)}`;
}

/** What the address's fragment holds, without its `#`, if it is a pairing link's. */
export function codeInFragment(fragment: string): string | undefined {
  return fragment.startsWith("pair=") ? fragment.slice("pair=".length) : undefined;
}
