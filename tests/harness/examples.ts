// Holds the examples to the types of Pi, which they do not import: it is compiled with those of both generations.
import type { ExtensionFactory } from "@mariozechner/pi-coding-agent";

import jobs from "../../examples/jobs.ts";

export default jobs satisfies ExtensionFactory;
