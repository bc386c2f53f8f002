/** Words for conversations that are made up. */
export const WORDS = (
  "the session store keeps each row by its name and the worker reads what it needs from there while the queue drains slowly so that nobody waits for a " +
  "lock longer than a moment which matters once two of them run beside each other on one machine with little memory and a slow disk"
).split(" ");
