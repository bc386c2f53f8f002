import { speaker, clockTime } from "./words.ts";
import { BashRow } from "./BashRow.tsx";
import { ImageNote } from "./ImageNote.tsx";
import { CustomRow, DayRow, DividerRow, EndRow, OtherRow, TextRow, ThinkingRow, UserRow } from "./MessageRows.tsx";
import type { Item } from "./model.ts";
import { ToolRow } from "./ToolRow.tsx";

/** What an item shows. */
export function OneRow({ item }: { item: Item }) {
  const { message, key } = item;
  switch (item.kind) {
    case "day":
      return <DayRow at={message.at} />;
    case "user":
      return <UserRow message={message} name={key} />;
    case "text":
      return <TextRow item={item} />;
    case "thinking":
      return <ThinkingRow item={item} />;
    case "image":
      return <ImageNote part={item.part} />;
    case "tool":
      return <ToolRow item={item} />;
    case "bash":
      return <BashRow message={message} name={key} />;
    case "custom":
      return <CustomRow message={message} name={key} />;
    case "divider":
      return <DividerRow message={message} name={key} />;
    case "end":
      return <EndRow message={message} />;
    case "part":
      return <OtherRow message={message} item={item} />;
    case "other":
      return <OtherRow message={message} />;
  }
}

/** What a row is called: whose it is, of which model, and when. */
export function nameOf(item: Item): string {
  const { message, kind } = item;
  const facts = [clockTime(item.kind === "tool" ? item.at : message.at), message.model].filter((fact) => fact !== undefined && fact !== "").join(", ");
  switch (kind) {
    case "day":
      return "Day";
    case "tool":
      return `Tool ${item.name}, ${facts}`;
    case "thinking":
      return `Pi’s thinking, ${facts}`;
    case "end":
      return `End of the answer, ${facts}`;
    default:
      return `${speaker(message)}, ${facts}`;
  }
}

/** Whether a row shows its facts, and a way to copy it, when it is pointed at: others have them inside, or none. */
export function hasTools(item: Item): boolean {
  return item.kind === "user" || item.kind === "custom" || item.kind === "other" || (item.kind === "text" && !item.isLast && !item.isGrowing);
}
