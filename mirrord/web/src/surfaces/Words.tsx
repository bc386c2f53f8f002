import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { FunctionComponent } from "preact";

/** How a text is drawn in which something may be recognised. Without a provider: as it is. */
export const Recognised = createContext<FunctionComponent<{ text: string; isCode?: boolean }> | undefined>(undefined);

/** A text of markdown, or of code in it. */
export function Words({ text, isCode = false }: { text: string; isCode?: boolean }) {
  const Drawn = useContext(Recognised);
  return Drawn === undefined ? <>{text}</> : <Drawn text={text} isCode={isCode} />;
}
