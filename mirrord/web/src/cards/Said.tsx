/** Words of an extension or of a person: as they are written, in their own direction, never as markup. */
export function Said({ text, secondary = false }: { text: string; secondary?: boolean }) {
  return (
    <span class={secondary ? "foreign said secondary" : "foreign said"} dir="auto">
      {text}
    </span>
  );
}

/** What is asked. */
export function Title({ text, id, quiet = false }: { text: string; id?: string; quiet?: boolean }) {
  return (
    <h2 id={id} class={quiet ? "foreign said card-title card-title-quiet" : "foreign said card-title"} dir="auto">
      {text}
    </h2>
  );
}

/** What could not be shown whole. */
export function Cuts({ sentences }: { sentences: readonly string[] }) {
  if (sentences.length === 0) return null;
  return (
    <ul class="card-cuts secondary">
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}
