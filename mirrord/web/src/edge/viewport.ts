/** How much of the window can be seen, and how wide it is. */

import { signal } from "@preact/signals";

/** From this width on the sessions stand in a column of their own. Also in design/tokens.css. */
const WIDE = matchMedia("(min-width: 900px)");

export const wide = signal(WIDE.matches);

/** Keep `--viewport-block` and `--viewport-top` at the part of the window that no on-screen keyboard covers. */
export function followViewport(): void {
  WIDE.addEventListener("change", () => (wide.value = WIDE.matches));
  const visible = window.visualViewport;
  if (visible === null) return;
  const { style } = document.documentElement;
  const measure = () => {
    // Pinched in, the person looks at a part of the page on purpose.
    if (Math.abs(visible.scale - 1) > 0.01) return;
    style.setProperty("--viewport-block", `${visible.height}px`);
    style.setProperty("--viewport-top", `${visible.offsetTop}px`);
  };
  visible.addEventListener("resize", measure);
  visible.addEventListener("scroll", measure);
  measure();
}
