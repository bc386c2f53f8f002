/** How this browser calls itself when it is paired: "Chrome on Android". A guess to be edited, never proof of anything. Pure. */

export interface Agent {
  readonly userAgent: string;
  readonly maxTouchPoints: number;
}

// The first that fits: most browsers name others too.
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "Mac"],
  [/\bLinux\b/, "Linux"],
];

export function browserName({ userAgent, maxTouchPoints }: Agent): string {
  const find = (table: typeof BROWSERS) => table.find(([pattern]) => pattern.test(userAgent))?.[1];
  const browser = find(BROWSERS) ?? "Browser";
  const system = find(SYSTEMS);
  // An iPad asks for desktop pages and calls itself a Mac; no Mac has a touch screen.
  const place = system === "Mac" && maxTouchPoints > 1 ? "iPad" : system;
  return place === undefined ? browser : `${browser} on ${place}`;
}
