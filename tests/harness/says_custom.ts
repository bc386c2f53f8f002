// An extension with a message of its own: `/custom TEXT` puts it into the conversation.

import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";

export default function saysCustom(pi: ExtensionAPI): void {
  pi.registerCommand("custom", {
    description: "Says something as a custom message",
    handler: async (text) => {
      pi.sendMessage({ customType: "garden-note", content: text, display: true });
    },
  });
}
