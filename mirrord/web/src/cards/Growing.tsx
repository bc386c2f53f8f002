import { useLayoutEffect, useRef } from "preact/hooks";

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
  useLayoutEffect(() => {
    const element = field.current;
    // `field-sizing` does the same where it is known, and without two layouts.
    if (element === null || CSS.supports("field-sizing", "content")) return;
    element.style.blockSize = "auto";
    element.style.blockSize = `${element.scrollHeight}px`;
  }, [text]);
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
