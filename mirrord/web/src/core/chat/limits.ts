/** What a page keeps of a conversation, at most. */

/** Rows before the daemon's window: a long day's session can be read back to its beginning, and a page left open for a week stays small. */
export const OLDER_ROWS = 20_000;
/** Rows before the window that stay while somebody is at the end, once there are twice as many: what they scroll up to first is there. */
export const OLDER_ROWS_AT_END = 300;
/** Of OLDER_ROWS as JSON: a phone's browser ends a page that takes some hundreds of MB, and what is drawn of a row takes several times this. */
export const OLDER_CHARACTERS = 32 * 1024 * 1024;
/** Asked for at once; the daemon gives no more (CHAT_HISTORY_ROWS of mirrord/wire/limits.py). */
export const PAGE_ROWS = 100;
/** What is shown once and was not dismissed; of more the oldest goes. */
export const NOTICES = 20;
/** Of one connection: a daemon that goes wrong so often goes wrong each time, and would be asked without an end. */
export const STREAM_ERRORS = 6;
