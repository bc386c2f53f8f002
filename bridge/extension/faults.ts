// Does nothing. The tests run a copy of this folder whose `fault` throws at a chosen site, to show that Pi lives on.
import type { Site } from "./sites.ts";

export function fault(_site: Site): void {}
