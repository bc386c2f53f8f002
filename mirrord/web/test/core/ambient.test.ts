/** Promise: what extensions show is what was told last, a clear leaves nothing, and a text that was handed over comes once. */

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  fetched,
  fromSnapshot,
  HANDED,
  HANDOFFS,
  NOTHING,
  notified,
  rowStands,
  settled,
  stripsOf,
  taken,
  type Ambient,
} from "../../src/core/ambient.ts";
import type { ExtensionUINotification, Snapshot } from "../../src/protocol.ts";

type Said = Partial<ExtensionUINotification> & Pick<ExtensionUINotification, "method">;

function after(...said: readonly Said[]): Ambient {
  return said.reduce((ambient, one) => notified(ambient, { type: "extension_ui_notification", sessionId: "s", ...one }), NOTHING);
}

const SNAPSHOT: Snapshot = { type: "snapshot", sessionId: "s", session: { sessionId: "s", status: { state: "idle", since: 1 } }, prompts: [] };
const LINES = { widgetLines: ["one", "two"] };

// Each with a value, and as it clears.
const STATE: readonly (readonly [Said, Partial<Ambient>, Said])[] = [
  [{ method: "setStatus", statusKey: "a", statusText: "1" }, { statuses: [{ key: "a", text: "1" }] }, { method: "setStatus", statusKey: "a" }],
  [{ method: "setTitle", title: "t" }, { title: "t" }, { method: "setTitle" }],
  [
    { method: "setWidget", widgetKey: "w", widgetPlacement: "belowEditor", source: "planner", ...LINES },
    { widgets: [{ key: "w", placement: "belowEditor", source: "planner", ...LINES }] },
    { method: "setWidget", widgetKey: "w", widgetPlacement: "belowEditor" },
  ],
  [{ method: "setHeader", ...LINES }, { header: LINES }, { method: "setHeader" }],
  [{ method: "setFooter", ...LINES }, { footer: LINES }, { method: "setFooter" }],
  [{ method: "setWorkingMessage", message: "m" }, { workingRow: { message: "m" } }, { method: "setWorkingMessage" }],
  [
    { method: "setWorkingIndicator", workingIndicator: { frames: ["a"], intervalMs: 100 } },
    { workingRow: { indicator: { frames: ["a"], intervalMs: 100 } } },
    { method: "setWorkingIndicator" },
  ],
  [{ method: "setHiddenThinkingLabel", hiddenThinkingLabel: "h" }, { hiddenThinkingLabel: "h" }, { method: "setHiddenThinkingLabel" }],
  [{ method: "setToolsExpanded", toolsExpanded: true }, { toolsExpanded: true }, { method: "setToolsExpanded", toolsExpanded: false }],
];

for (const [set, shows, clear] of STATE) {
  test(`${set.method} is shown, is replaced, and its clear leaves nothing of it`, () => {
    assert.deepEqual(after(set), { ...NOTHING, ...shows });
    assert.deepEqual(after(set, set), after(set));
    assert.deepEqual(after(set, clear), NOTHING);
    assert.deepEqual(after(clear), NOTHING);
  });
}

test("a widget that is replaced keeps its place among the others", () => {
  const set = (widgetKey: string, line: string): Said => ({ method: "setWidget", widgetKey, widgetLines: [line] });
  const { widgets } = after(set("a", "1"), set("b", "1"), set("a", "2"));
  assert.deepEqual(
    widgets.map(({ key, widgetLines }) => [key, widgetLines?.[0]]),
    [
      ["a", "2"],
      ["b", "1"],
    ],
  );
});

test("the working row stands while Pi works, unless an extension hides it", () => {
  const hidden = after({ method: "setWorkingVisible", workingVisible: false });
  assert.deepEqual(
    [rowStands(NOTHING, true), rowStands(NOTHING, false), rowStands(hidden, true)],
    [true, false, false],
  );
  const back = notified(hidden, { type: "extension_ui_notification", sessionId: "s", method: "setWorkingVisible", workingVisible: true });
  assert.equal(rowStands(back, true), true);
});

test("no frames hide the glyph, which is something else than Pi's own", () => {
  assert.deepEqual(after({ method: "setWorkingIndicator", workingIndicator: { frames: [] } }).workingRow, { indicator: { frames: [] } });
});

test("a dialog's view is replaced as a whole and ends with its prompt; without lines it is there all the same", () => {
  const drawn = after({ method: "setCustomView", requestId: "p", overlay: true, typing: false, ...LINES });
  assert.deepEqual(drawn.views, [{ requestId: "p", overlay: true, typing: false, ...LINES }]);
  const typing = notified(drawn, { type: "extension_ui_notification", sessionId: "s", method: "setCustomView", requestId: "p", typing: true });
  assert.deepEqual(typing.views, [{ requestId: "p", typing: true }]);
  assert.equal(settled(typing, "other"), typing);
  assert.deepEqual(settled(typing, "p").views, []);
});

test("a snapshot says everything anew; hand-offs are no state and stay", () => {
  const before = after(...STATE.map(([set]) => set), { method: "set_editor_text", handoffId: "h", text: "t" });
  assert.deepEqual(fromSnapshot(before, SNAPSHOT), { ...NOTHING, handoffs: before.handoffs });
  const strips = { above: [{ id: "status:a", kind: "status", key: "a", label: "1" }] } as const;
  const told = fromSnapshot(NOTHING, { ...SNAPSHOT, surfaces: [{ key: "w", ...LINES }], views: [{ requestId: "p" }], strips, toolsExpanded: true });
  assert.deepEqual(told, {
    ...NOTHING,
    widgets: [{ key: "w", ...LINES }],
    views: [{ requestId: "p" }],
    strips: stripsOf(strips),
    toolsExpanded: true,
  });
});

test("a text is handed over once, however often it is told", () => {
  const once: Said = { method: "set_editor_text", handoffId: "h", text: "t", source: "planner" };
  const shown = after(once, once);
  assert.deepEqual(shown.handoffs, [{ id: "h", text: "t", source: "planner", paste: false }]);
  const done = taken(shown, "h");
  assert.deepEqual(done.handoffs, []);
  assert.equal(notified(done, { type: "extension_ui_notification", sessionId: "s", ...once }), done);
});

test("a long text is waited for, and comes or says why not", () => {
  const waits = after({ method: "set_editor_text", handoffId: "h", textParts: 3, paste: true });
  assert.deepEqual(waits.handoffs, [{ id: "h", paste: true }]);
  assert.equal(fetched(waits, "h", { text: "t" }).handoffs[0]?.text, "t");
  assert.equal(fetched(waits, "h", { failure: "Gone." }).handoffs[0]?.failure, "Gone.");
  assert.deepEqual(fetched(waits, "other", { text: "t" }), waits);
});

test("texts that nobody takes give way to new ones, and what is remembered of them is bounded", () => {
  let ambient = NOTHING;
  for (let count = 0; count < HANDED + 2 * HANDOFFS; count += 1) {
    ambient = notified(ambient, { type: "extension_ui_notification", sessionId: "s", method: "set_editor_text", handoffId: `${count}`, text: "t" });
  }
  assert.deepEqual([ambient.handoffs.length, ambient.handed.length], [HANDOFFS, HANDED]);
  assert.equal(ambient.handoffs.at(-1)?.id, `${HANDED + 2 * HANDOFFS - 1}`);
});

test("what lacks its key, and methods of a later daemon, change nothing", () => {
  const methods = ["setStatus", "setWidget", "setCustomView", "set_editor_text", "setMood", "notify", "__proto__"];
  for (const method of methods) assert.equal(after({ method, message: "m" }), NOTHING);
});
