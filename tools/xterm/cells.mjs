// A screen of xterm.js, read from its buffer: what both the test of equal screens and the measurement need.

import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const { Terminal } = require("@xterm/headless");
const { Unicode11Addon } = require("@xterm/addon-unicode11");

/** Without the add-on emoji have one column, as in Unicode 6. */
export function terminalOf(cols, rows) {
  const terminal = new Terminal({ cols, rows, scrollback: 0, allowProposedApi: true, logLevel: "off" });
  terminal.loadAddon(new Unicode11Addon());
  terminal.unicode.activeVersion = "11";
  // xterm.js itself forgets where a link leads as soon as the row where it began is gone, though there is more of it.
  const service = terminal._core._oscLinkService;
  const register = service.registerLink.bind(service);
  terminal.uris = new Map();
  service.registerLink = (link) => {
    const id = register(link);
    terminal.uris.set(id, link.uri);
    return id;
  };
  return terminal;
}

// The words `fg` and `bg` of a cell, as xterm.js packs them. Its own `isUnderline()` is not asked because it says yes for every link.
const COLOUR = 0x3ffffff;
const [REVERSE, BOLD, UNDERLINE, CONCEAL, STRIKE] = [1 << 26, 1 << 27, 1 << 28, 1 << 30, 1 << 31];
const [ITALIC, DIM, EXTENDED] = [1 << 26, 1 << 27, 1 << 28];
const FROM_FG = BOLD | UNDERLINE | CONCEAL | STRIKE | REVERSE;
const FROM_BG = ITALIC | DIM;

/**
 * The row as runs `[text, [attribute, ...], colour, link]` of cells that look the same, without what nothing was written to at its end.
 *
 * `colour` is -1 by default, an index below 256, or 256 + 0xRRGGBB; `link` is null without one.
 */
export function runsOf(terminal, row, cell) {
  const line = terminal.buffer.active.getLine(terminal.buffer.active.baseY + row);
  const runs = [];
  let fg, bg, link, run;
  let blanks = "";
  let width = 1;
  for (let column = 0; column < terminal.cols; column++) {
    line.getCell(column, cell);
    // The right half of a wide character whose left half was lost is a blank.
    const half = width === 2;
    width = cell.getWidth();
    if (half && width === 0) continue;
    const text = cell.getChars();
    if (text === "") {
      blanks += " ";
      continue;
    }
    if (blanks !== "") {
      runs.push([blanks, [], -1, null]);
      blanks = "";
      run = undefined;
    }
    const newLink = cell.bg & EXTENDED ? cell.extended.urlId : 0;
    if (run !== undefined && cell.fg === fg && (cell.bg & FROM_BG) === bg && newLink === link) {
      run[0] += text;
      continue;
    }
    [fg, bg, link] = [cell.fg, cell.bg & FROM_BG, newLink];
    run = [text, fg & FROM_FG || bg ? attributesOf(fg, bg) : [], colourOf(fg), link ? terminal.uris.get(link) : null];
    runs.push(run);
  }
  return runs;
}

function attributesOf(fg, bg) {
  const named = { bold: fg & BOLD, dim: bg & DIM, italic: bg & ITALIC, underline: fg & UNDERLINE };
  Object.assign(named, { reverse: fg & REVERSE, conceal: fg & CONCEAL, strikethrough: fg & STRIKE });
  return Object.keys(named).filter((name) => named[name]);
}

function colourOf(fg) {
  const mode = (fg & COLOUR) >>> 24;
  if (mode === 0) return -1;
  return mode === 3 ? 256 + (fg & 0xffffff) : fg & 0xff;
}
