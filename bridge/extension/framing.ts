// Bytes of the socket become lines. The same bytes give the same lines however they are cut.

import { ProtocolError } from "./decode.ts";
import { FRAME_BYTES } from "./limits.ts";

const LF = 0x0a;

export class Lines {
  private readonly decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  private parts: Buffer[] = [];
  private held = 0;

  /** The lines that `chunk` completes, without their LF. Throws ProtocolError past FRAME_BYTES and on invalid UTF-8. */
  push(chunk: Buffer): string[] {
    const lines: string[] = [];
    let from = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, from)) {
      this.hold(chunk.subarray(from, end), 1);
      lines.push(this.take());
      from = end + 1;
    }
    this.hold(chunk.subarray(from), 1);
    return lines;
  }

  private hold(part: Buffer, closing: number): void {
    if (this.held + part.length + closing > FRAME_BYTES) throw new ProtocolError("line too long");
    if (part.length === 0) return;
    this.parts.push(part);
    this.held += part.length;
  }

  private take(): string {
    const [first] = this.parts;
    // A line that came whole, as nearly every one does, need not be copied.
    const line = this.parts.length === 1 && first !== undefined ? first : Buffer.concat(this.parts);
    this.parts = [];
    this.held = 0;
    try {
      return this.decoder.decode(line);
    } catch {
      throw new ProtocolError("not UTF-8");
    }
  }
}
