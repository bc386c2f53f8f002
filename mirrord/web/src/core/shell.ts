/** Words for a person to type into a POSIX shell. Pure. */

/** What every shell takes as it is, wherever it stands in a word. */
const PLAIN = /^[\w@+:,.-]+$/;

/** `text` as one argument that is no option: quoted where a shell would read it otherwise. */
export function shellArgument(text: string): string {
  const word = PLAIN.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
  return text.startsWith("-") ? `-- ${word}` : word;
}
