/** Whether `text` is on the clipboard now: it is there on secure origins only, and a browser may still say no. */
export async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
