import { Image } from "lucide";
import { Icon } from "../../design/Icon.tsx";
import type { ChatPart } from "../contract.ts";
import { imageName, size } from "./words.ts";

/** In the place of an image, which stays on the machine: what it is. */
export function ImageNote({ part: { mimeType, bytes } }: { part: ChatPart }) {
  return (
    <p class="image-note">
      <Icon node={Image} small />
      <span>
        {imageName(mimeType)}
        {bytes !== undefined && <span class="secondary"> · {size(bytes)}</span>}
      </span>
    </p>
  );
}
