import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/** Keeps a text field as high as its text, where the browser does not know `field-sizing`, which does it without a second layout. */
export function useGrowth(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    if (field.current !== null && !growsByItself()) fit(field.current);
  }, [field, text]);
  // The same text breaks into other lines when there is more or less room beside it.
  useLayoutEffect(() => {
    const element = field.current;
    if (element === null || growsByItself()) return undefined;
    let width: number | undefined;
    const observer = new ResizeObserver(() => {
      if (element.clientWidth === width) return;
      width = element.clientWidth;
      fit(element);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [field]);
}

function growsByItself(): boolean {
  return CSS.supports("field-sizing", "content");
}

function fit(element: HTMLTextAreaElement): void {
  const { style } = element;
  // While it is low, to be measured, a margin keeps the room that it had: where a page gets shorter, the browser takes up who reads its end, and
  // tells those who follow the end that the reader has left it.
  style.marginBlockEnd = style.blockSize;
  style.blockSize = "auto";
  style.blockSize = `${element.scrollHeight}px`;
  style.marginBlockEnd = "";
}
