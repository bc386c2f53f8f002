// Bounds of the bridge wire and of what the extension keeps; the first block repeats bridge/limits.py and a test compares them.

export const KIB = 1024;

/** One displayed text, in UTF-8 bytes. */
export const TEXT_BYTES = 32 * KIB;

/** Of a conversation's first message, in UTF-8 bytes: it stands for a name, and the daemon shows two lines of it. */
export const FIRST_MESSAGE_BYTES = 1 * KIB;

/** Options carried in a request; more are answerable by index. */
export const OPTIONS_SENT = 200;

/** All displayed texts of one prompt, in UTF-8 bytes. */
export const PROMPT_BYTES = 256 * KIB;

/** Content that goes back to the terminal (a prefill, an edited text), in UTF-8 bytes. */
export const CONTENT_BYTES = 1024 * KIB;

/** One piece of content as JSON. */
export const PIECE_BYTES = 256 * KIB;

/** Options of one select that are sent; more are answerable by index only. */
export const OPTIONS_KEPT = 10_000;

/** All options of one select that are sent, in UTF-8 bytes. */
export const OPTIONS_BYTES = 1024 * KIB;

/** Questions of one ask that a remote may answer. */
export const QUESTIONS = 50;

/** One line on the wire with its LF. */
export const FRAME_BYTES = 2 * PROMPT_BYTES;

/** A daemon that has not welcomed us by then is not one. */
export const HELLO_SECONDS = 5;

/** Silence after which we ask whether the daemon is there. */
export const PING_SECONDS = 10;

/** Silence after which the link is closed. */
export const DEAD_SECONDS = 25;

/** Settlements without an acknowledgement, verdicts by response id, and ids known to be settled: so many of each are kept. */
export const KEPT_SETTLEMENTS = 256;

/** Open prompts that are offered to remotes; the terminal shows more all the same. */
export const OPEN_PROMPTS = 100;

/** Status keys kept; the oldest untouched gives way. */
export const STATUSES = 64;

/** Widget keys kept, both placements together; the oldest untouched gives way. */
export const WIDGETS = 64;

/** The key of a widget, in UTF-8 bytes: it is a name for programs. */
export const KEY_BYTES = 1 * KIB;

/** The name of an extension that asks or shows something, in UTF-8 bytes. */
export const SOURCE_BYTES = 256;

/** Lines of one widget, region or view. */
export const DRAWN_LINES = 160;

/** One such line, in UTF-8 bytes. */
export const LINE_BYTES = 16 * KIB;

/** All such lines of one message as JSON: with NATIVE_BYTES they fit a frame. */
export const DRAWN_BYTES = 192 * KIB;

/** What `renderNative()` gave, as JSON. */
export const NATIVE_BYTES = 256 * KIB;

/** Arrays and objects in each other in it. */
export const NATIVE_DEPTH = 64;

/** Why there is none, in UTF-8 bytes. */
export const NATIVE_ERROR_BYTES = 512;

/** The sequence that starts one of them, in UTF-8 bytes. */
export const SGR_BYTES = 64;

/** Frames of a working indicator. */
export const INDICATOR_FRAMES = 24;

/** One of them, in UTF-8 bytes with escape sequences: what is shown of it is the daemon's to cut. */
export const INDICATOR_FRAME_BYTES = 1 * KIB;

/** The shortest and the longest time that a frame is shown, in ms. */
export const INDICATOR_MS_LEAST = 80;
export const INDICATOR_MS_MOST = 60_000;

/** An update of the same thing comes at least so long after the one before. */
export const UPDATE_MS = 50;

/** One text of the conversation, in UTF-8 bytes. */
export const CHAT_TEXT_BYTES = 256 * KIB;

/** Rows of one page of the conversation, and a page as JSON. */
export const CHAT_PAGE_ROWS = 100;
export const CHAT_PAGE_BYTES = FRAME_BYTES;

// What follows concerns this side only; docs/bridge.md states each number.

/** A message is made while fewer bytes than this wait in the socket: a daemon that stands still costs this plus one frame. */
export const ROOM_BYTES = 256 * KIB;

/** Notifications that wait for room; older ones are dropped and counted. */
export const NOTIFICATIONS = 64;

/** Of these so many are told at once, and the others UPDATE_MS later: 160 a second are more than anybody reads. */
export const NOTIFICATIONS_AT_ONCE = 8;

/** The same in characters: with what waits in the socket they stay below the MiB that the extension may hold. */
export const NOTIFICATION_CHARS = 128 * KIB;

/** Messages that wait for room at once: more than all state together has, so a daemon that asks and does not read is let go. */
export const WAITING = 1_024;

/** A response id longer than this, in characters, is judged each time it comes instead of being remembered. */
export const RESPONSE_ID_CHARS = 1_024;

/** A prefill of at most so many bytes as JSON travels in its prompt's message, which holds PROMPT_BYTES besides; a longer one in pieces. */
export const INLINE_BYTES = PIECE_BYTES / 2;

/** One value of an ask's option, and one question's id, in UTF-8 bytes: they are names for programs. */
export const VALUE_BYTES = KIB;

/** One typed answer of an ask, in UTF-8 bytes: far above what anybody types, far below a frame. */
export const TYPED_BYTES = 64 * KIB;

/** First pause before another attempt to connect, doubled up to BACKOFF_MOST_MS. */
export const BACKOFF_FIRST_MS = 250;
export const BACKOFF_MOST_MS = 5_000;

/** Pause after a refusal: only a restart of the daemon or a /reload changes its cause. */
export const REFUSED_MS = 60_000;

/** How often silence is looked at; small against PING_SECONDS, large against the cost of a wake-up. */
export const TICK_MS = 2_500;

/** How long a closing socket may take to hand its last bytes over before it is destroyed. */
export const LINGER_MS = 1_000;

/** Pause between two looks at whether the agent rests, after a run that Pi has not called settled. */
export const IDLE_LOOK_MS = 250;

/** A configuration larger than this was not written by a person, and is not read. */
export const CONFIG_BYTES = 64 * KIB;

/** A text from the daemon that `/mirrord status` repeats, in characters. */
export const QUOTED_CHARS = 300;

/** A person who pressed a key in a dialog so recently is still typing when a remote answers it. */
export const TYPING_MS = 2_000;

/** Keys after that are swallowed until so long a pause: slower typing than three keys a second is somebody who looks. */
export const SWALLOW_QUIET_MS = 300;

/** Keys are never swallowed longer than this: by then the person has seen that the dialog is gone. */
export const SWALLOW_MOST_MS = 1_000;

/** Answers within this time share a line in the terminal: Pi's next notice would take the place of the one before. */
export const NOTICE_MS = 50;

/** A name or an answer in that line, in characters. */
export const NOTICE_CHARS = 60;

/** Answers that the line names; the others are counted. */
export const NOTICE_NAMED = 3;

/** Texts for the editor that wait for room: one that replaces, and what was pasted after it. */
export const HANDOFFS = 16;

/** How often the call stack is read within so many ms to see who shows something: less than a hundredth of a core. */
export const SOURCE_LOOKS = 40;
export const SOURCE_LOOKS_MS = 200;

/** Pause between two looks at what Pi does not tell: its theme, and whether tools show all. */
export const LOOK_MS = 2_500;

/** How often it is said how many keys gave way. */
export const GAVE_WAY_MS = 5_000;

/** Members of `ctx.ui` that we do not know and report. */
export const UNKNOWN_MEMBERS = 32;

/** Rows of an ask that are on the screen at once, as in Pi's selector. */
export const ASK_ROWS = 10;

/** A question or an answer on the page with all answers, in characters: about two lines. */
export const ASK_SUMMARY_CHARS = 120;

/** A daemon that has said nothing about a code by then is older than this extension, or stands still. */
export const PAIR_ANSWER_MS = 5_000;

/** Lines and columns of the largest QR code that a daemon may have us show. */
export const QR_LINES = 40;
export const QR_COLUMNS = 80;

/** One row of the conversation as JSON: with its envelope it fits a frame. */
export const CHAT_ROW_BYTES = FRAME_BYTES - 32 * KIB;

/** Parts of one row: an answer has a few, and each has at least half a KiB of the row. */
export const CHAT_PARTS = 512;

/** Rows that changed and wait for room: with more of them the newest page is told anew. */
export const CHAT_WAITING = 100;

/** Entries that Pi appended since it was last looked: more of them are a boundary. */
export const CHAT_NEW_ENTRIES = 1_000;

/** How far before a tool's result its call is looked for: an answer has fewer calls at once. */
export const CALL_STEPS = 256;

/** Pause between two deltas of a row. A model that writes 200 words a second waits for none; what is faster comes in larger pieces. */
export const CHAT_DELTA_MS = 4;

/** After a change the queue and the state are looked at once, so long after it. */
export const CHAT_CHANGED_MS = 50;

/** Pause between two tellings of a whole row whose text does not only grow. */
export const CHAT_WHOLE_MS = 250;

/** A delta as text, in UTF-16 units: as JSON it fits a frame, whatever characters it has. */
export const CHAT_DELTA_CHARS = 64 * KIB;

/** Pause between two looks at what Pi does not tell, while it works. */
export const CHAT_LOOK_MS = 250;

/** The same while it rests and a daemon listens: what a person chooses at the terminal, not each of which Pi tells. */
export const CHAT_WATCH_MS = 2_000;

/** A model without a key is asked about again so long after the last time: a key may come from outside of Pi. */
export const CHAT_ASK_MS = 30_000;

/** Turns and their rows that are remembered for the whole process. */
export const CHAT_TURNS = 256;

/** Temporary ids of rows that are remembered. */
export const CHAT_LIVE_IDS = 64;

/** Messages of Pi's queue that are told, and models that it can use. */
export const CHAT_QUEUED = 100;
export const CHAT_MODELS = 300;

/** Slash commands that are told: whoever has more finds the rest at the terminal. With the bounds of their words they fit a frame. */
export const CHAT_COMMANDS = 200;
export const CHAT_COMMAND_NAME_BYTES = 128;
export const CHAT_COMMAND_WORDS_BYTES = 256;

/** How long the start of a compaction is waited for before it counts as begun. */
export const CHAT_BEGUN_MS = 500;
