/**
 * The look that was chosen, before anything is drawn in another. The build puts this into the head as a script of its own, which runs
 * before the page's; `edge/preferences.ts` writes what is read here. A value that no rule of the style sheet knows has no effect.
 */

for (const name of ["theme", "textSize"]) {
  try {
    const chosen: unknown = JSON.parse(localStorage.getItem(`mirrord.${name}`) ?? "null");
    if (typeof chosen === "string") document.documentElement.dataset[name] = chosen;
  } catch {
    // Storage is forbidden, or holds what nobody here wrote: the system's look.
  }
}
