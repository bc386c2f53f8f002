// Pages that do the least: the same text as the measured page gets, at the same pace, with nothing around it. Peers of the renderer's CPU.
"use strict";

/** Some words together, each `ms`, at the end of a paragraph that is scrolled to. */
function bareWords({ words, each, ms }) {
  document.body.innerHTML = "<p style='white-space: pre-wrap'></p>";
  const [paragraph, whole] = [document.querySelector("p"), document.scrollingElement];
  let at = 0;
  setInterval(() => {
    if (at >= words.length) [at, paragraph.textContent] = [0, ""];
    paragraph.append(words.slice(at, at + each).join(""));
    at += each;
    whole.scrollTop = whole.scrollHeight;
  }, ms);
}

/** Lines of coloured pieces, written whole each `ms`; the last one counts. */
function bareLines({ lines, ms }) {
  document.body.innerHTML = "<pre></pre>";
  const block = document.querySelector("pre");
  let tick = 0;
  setInterval(() => {
    const piece = ([text, colour]) => Object.assign(document.createElement("span"), { textContent: text, style: `color: ${colour}` });
    const drawn = [...lines, [[`tick ${(tick += 1)}`, "inherit"]]].flatMap((line) => [...line.map(piece), "\n"]);
    block.replaceChildren(...drawn);
  }, ms);
}
