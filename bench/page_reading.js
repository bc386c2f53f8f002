// How a conversation is read on the measured page; put into it before its own script. Times are ms of performance.now(), lengths CSS pixels.
"use strict";

(() => {
  const ROWS = ".timeline [data-key]";
  const COVERED = 120; // what floats over the upper edge; a row that ends below it is the first that is read
  const SETTLED_FRAMES = 30;
  const PATIENCE_MS = 30_000;

  // A page that comes back begins with the list, and not with the session that was open last.
  if (location.protocol === "http:") localStorage.removeItem("mirrord.session");

  const rows = () => [...document.querySelectorAll(ROWS)];
  const pane = () => document.querySelector(".pane-detail");
  const topOf = (row) => row.getBoundingClientRect().top;
  // After a frame is painted, so that what observers of sizes correct is corrected, and before anything else comes: what a message changes
  // is whole with the next frame only.
  const painted = () => new Promise((resolve) => requestAnimationFrame(() => scheduler.postTask(resolve, { priority: "user-blocking" })));

  async function until(holds, what) {
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      const found = holds();
      if (found) return found;
      if (performance.now() > end) throw new Error(`${what} did not come`);
      await painted();
    }
  }

  /** The last row, once it is on the screen with `words` in it. */
  function lastRow(words) {
    const last = rows().at(-1);
    if (last === undefined || !last.textContent.includes(words)) return undefined;
    const { top, bottom } = last.getBoundingClientRect();
    return bottom > 0 && top < innerHeight ? last : undefined;
  }

  /** Presses a session in the list; ms until the last row of its conversation is painted, and what is in the page then. */
  async function open(sessionId) {
    const link = await until(() => document.querySelector(`nav[aria-label=Sessions] a[href$="${encodeURIComponent(sessionId)}"]`), "the session");
    const begun = performance.now();
    link.click();
    await until(() => lastRow(""), "the last row");
    await painted();
    const ms = performance.now() - begun;
    for (let frame = 0; frame < SETTLED_FRAMES; frame += 1) await painted();
    return { ms, ...size() };
  }

  /** Elements and texts of the whole document, and kB of the files that it took. */
  function size() {
    const walker = document.createTreeWalker(document, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    let nodes = 0;
    while (walker.nextNode()) nodes += 1;
    const files = performance.getEntriesByType("resource").filter(({ name }) => /\.(?:js|css)$/.test(name));
    const page = performance.getEntriesByType("navigation")[0];
    const kB = [page, ...files].reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0) / 1000;
    return { elements: document.querySelectorAll("*").length, nodes, kB };
  }

  /** The row that is read: its key, its place among all, and where it stands. */
  function read() {
    const row = rows().find((each) => each.getBoundingClientRect().bottom > COVERED);
    return { key: row.dataset.key, index: Number(row.dataset.index), top: topOf(row) };
  }

  function found(key) {
    return rows().find((row) => row.dataset.key === key);
  }

  /** Scrolls to the first row that is here; ms until the page before it is, and how far the row that is read moved meanwhile. */
  async function pageBack() {
    pane().scrollTop = 0;
    await painted();
    const begun = performance.now();
    const before = read();
    let [moved, ms, rest] = [0, undefined, SETTLED_FRAMES];
    while (rest > 0) {
      await painted();
      const row = found(before.key);
      if (row === undefined) throw new Error("the row that was read left the page");
      moved = Math.max(moved, Math.abs(topOf(row) - before.top));
      if (ms === undefined && Number(row.dataset.index) > before.index) ms = performance.now() - begun;
      if (ms !== undefined) rest -= 1;
      else if (performance.now() - begun > PATIENCE_MS) throw new Error("no page came");
    }
    return { ms, moved };
  }

  /** The number of the last answer that ends above the screen and is in the page. */
  function answerAbove() {
    const above = rows().filter((row) => row.matches(".msg-text") && row.getBoundingClientRect().bottom < COVERED);
    return Number(/\d+/.exec(above.at(-1).dataset.key)[0]);
  }

  let watched;
  /** From now on: tasks that take long, frames, and where the row that is read stands. */
  function watch() {
    const at = read();
    const noted = { begun: performance.now(), tasks: [], frames: 0, moved: 0, isOver: false };
    const observer = new PerformanceObserver((list) => noted.tasks.push(...list.getEntries().map(({ duration }) => duration)));
    observer.observe({ type: "longtask" });
    const look = async () => {
      while (!noted.isOver) {
        await painted();
        noted.frames += 1;
        const row = found(at.key);
        if (row !== undefined) noted.moved = Math.max(noted.moved, Math.abs(topOf(row) - at.top));
      }
    };
    void look();
    watched = { noted, observer };
  }

  function watchedSoFar() {
    const { noted, observer } = watched;
    noted.isOver = true;
    noted.tasks.push(...observer.takeRecords().map(({ duration }) => duration));
    observer.disconnect();
    return { seconds: (performance.now() - noted.begun) / 1000, tasks: noted.tasks, frames: noted.frames, moved: noted.moved };
  }

  window.mirrordReading = {
    open,
    pageBack,
    answerAbove,
    watch,
    watchedSoFar,
    size,
    scrollBy: async (pixels) => {
      pane().scrollTop += pixels;
      for (let frame = 0; frame < SETTLED_FRAMES; frame += 1) await painted();
    },
    shows: (words) => until(() => lastRow(words), `a last row with ${words}`).then(() => true),
  };
})();
