// The grammars that conversations about programs need; asked for where there is code.

import { createLowlight } from "lowlight";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import kotlin from "highlight.js/lib/languages/kotlin";
import makefile from "highlight.js/lib/languages/makefile";
import markdown from "highlight.js/lib/languages/markdown";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import swift from "highlight.js/lib/languages/swift";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { useMemo } from "preact/hooks";
import type { ComponentChildren } from "preact";

const grammars = createLowlight({
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  dockerfile,
  go,
  ini,
  java,
  javascript,
  json,
  kotlin,
  makefile,
  markdown,
  php,
  python,
  ruby,
  rust,
  sql,
  swift,
  typescript,
  xml,
  yaml,
});

type Tree = ReturnType<typeof grammars.highlight>["children"][number];

/** Code in colours, drawn from the grammar's tree; as it is where no grammar is known. */
export function Highlighted({ text, language }: { text: string; language: string }) {
  const name = /^[\w+#-]+/.exec(language)?.[0].toLowerCase() ?? "";
  const trees = useMemo(() => (grammars.registered(name) ? grammars.highlight(name, text).children : undefined), [name, text]);
  return <>{trees === undefined ? text : trees.map(drawn)}</>;
}

function drawn(tree: Tree, at: number): ComponentChildren {
  if (tree.type === "text") return tree.value;
  if (tree.type !== "element") return null;
  const names = tree.properties["className"];
  return (
    <span key={at} class={Array.isArray(names) ? names.join(" ") : undefined}>
      {tree.children.map(drawn)}
    </span>
  );
}
