import { modalsWaiting } from "./useModal.ts";

/** In the head of a window: what else would open when it closes. */
export function MoreWait() {
  const count = modalsWaiting();
  return (
    <span class="more-wait secondary" role="status">
      {count === 0 ? "" : count === 1 ? "1 more waits" : `${count} more wait`}
    </span>
  );
}
