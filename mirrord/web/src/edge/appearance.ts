/** The chosen look on the page: attributes that the style sheet reads, and the colour of the browser's own bar. */

import { effect } from "@preact/signals";

import { textSize, theme, type Theme } from "./preferences.ts";

/** `--bg` of design/tokens.css, which a meta element cannot read: light, and dark. */
const GROUNDS: Readonly<Record<"plain" | "contrast", readonly [string, string]>> = {
  plain: ["#f7f6f3", "#121316"],
  contrast: ["#ffffff", "#000000"],
};

/** `theme.ts` did it before the first picture; from now on each change is seen at once. */
export function followAppearance(): void {
  const { dataset } = document.documentElement;
  effect(() => {
    dataset["theme"] = theme.value;
    dataset["textSize"] = textSize.value;
    for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) meta.content = ground(theme.value, meta.media);
  });
}

function ground(chosen: Theme, media: string): string {
  const [light, dark] = GROUNDS[chosen === "contrast" ? "contrast" : "plain"];
  if (chosen === "light") return light;
  return chosen === "dark" || media.includes("dark") ? dark : light;
}
