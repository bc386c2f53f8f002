// The conversation's screens, as one file of the build.

export { Composer } from "./composer/Composer.tsx";
export { Timeline } from "./timeline/Timeline.tsx";
