// Promise: Pi's text fields draw as ever, and whoever is active knows when they do.
import assert from "node:assert/strict";
import { test } from "node:test";

import { hookFields, tellFields } from "../../../bridge/extension/fields.ts";
import type { Active } from "../../../bridge/extension/registry.ts";
import { blankRegistry } from "./blank.ts";

/** Classes of their own for each test, because hooks stay. */
function module(): { Editor: new () => Field; Input: new () => Field } {
  return { Editor: class extends Field {}, Input: class extends Field {} };
}

class Field {
  text = "text";
}

function withRender(Class: new () => Field): void {
  Object.assign(Class.prototype, {
    render(this: Field, width: number): string[] {
      return [this.text, `${width}`];
    },
  });
}

test("each frame of a field is told, and is what it would be", () => {
  const shared = blankRegistry();
  const tui = module();
  for (const Class of Object.values(tui)) withRender(Class);
  hookFields(shared, tui);
  hookFields(shared, tui);
  let drawn = 0;
  const render = (field: object): unknown => Reflect.apply(Reflect.get(field, "render") as () => unknown, field, [80]);
  assert.deepEqual(render(new tui.Editor()), ["text", "80"]);
  shared.owner = { field: () => (drawn += 1) } as unknown as Active;
  assert.deepEqual([render(new tui.Editor()), render(new tui.Input()), drawn, tellFields(shared)], [["text", "80"], ["text", "80"], 2, true]);
  shared.owner = { field: () => assert.fail("told") } as unknown as Active;
  assert.deepEqual(render(new tui.Input()), ["text", "80"]);
  // An earlier version does not know of it.
  shared.owner = {} as Active;
  assert.deepEqual(render(new tui.Input()), ["text", "80"]);
});

test("where a class is missing or cannot be hooked, that is known", () => {
  for (const tui of [undefined, {}, module(), { ...module(), Editor: Object.freeze(class { render(): void {} }) }]) {
    const shared = blankRegistry();
    hookFields(shared, tui);
    assert.equal(tellFields(shared), false);
  }
});
