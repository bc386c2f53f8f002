import { useRef } from "preact/hooks";

import { useGrowth } from "../design/useGrowth.ts";

interface GrowingProps {
  readonly text: string;
  readonly label: string;
  readonly isReadOnly: boolean;
  readonly obstacleId?: string;
  readonly input: (text: string) => void;
  readonly focus?: () => void;
}

/** A text field that is as high as its text, so that it never scrolls inside the card. */
export function Growing({ text, label, isReadOnly, obstacleId, input, focus }: GrowingProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  useGrowth(field, text);
  return (
    <textarea
      ref={field}
      class="growing"
      rows={1}
      dir="auto"
      value={text}
      placeholder={label}
      aria-label={label}
      aria-invalid={obstacleId !== undefined}
      aria-describedby={obstacleId}
      readOnly={isReadOnly}
      autocomplete="off"
      onInput={(event) => input(event.currentTarget.value)}
      onFocus={focus}
    />
  );
}
