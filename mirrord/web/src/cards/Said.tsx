/** Words of an extension or of a person: as they are written, in their own direction, never as markup. */
export function Said({ text, secondary = false }: { text: string; secondary?: boolean }) {
  return (
    <span class={secondary ? "foreign said secondary" : "foreign said"} dir="auto">
      {text}
    </span>
  );
}

// A heading longer than this is read, not glanced at, and is set like the text that it is.
const GLANCE_CHARS = 140;

/** What is asked. */
export function Title({ text, id, quiet = false }: { text: string; id?: string; quiet?: boolean }) {
  const look = quiet ? " card-title-quiet" : text.length > GLANCE_CHARS ? " card-title-long" : "";
  return (
    <h2 id={id} class={`foreign said card-title${look}`} dir="auto">
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
