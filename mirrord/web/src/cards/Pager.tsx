import { ChevronLeft, ChevronRight } from "lucide";
import { Icon } from "../design/Icon.tsx";

/** Which of the questions is on screen; past the last one come the answers. */
export function Pager({ page, count, turn }: { page: number; count: number; turn: (page: number) => void }) {
  const isReview = page >= count;
  return (
    <nav class="pager secondary" aria-label="Questions">
      <button type="button" class="button button-quiet button-icon" aria-disabled={page === 0} onClick={() => turn(page - 1)}>
        <Icon node={ChevronLeft} label="Previous question" />
      </button>
      <span class="pager-place">{isReview ? "All questions" : `Question ${page + 1} of ${count}`}</span>
      <button type="button" class="button button-quiet button-icon" aria-disabled={isReview} onClick={() => turn(page + 1)}>
        <Icon node={ChevronRight} label={page === count - 1 ? "All answers" : "Next question"} />
      </button>
    </nav>
  );
}
