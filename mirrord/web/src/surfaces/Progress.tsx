import { useEffect, useRef } from "preact/hooks";

interface ProgressProps {
  /** 0 to 1; absent or `isEndless`: nobody knows how far it is. */
  readonly value?: number | undefined;
  readonly isEndless?: boolean | undefined;
  readonly label: string;
  /** What a screen reader says for the value. */
  readonly said?: string | undefined;
  /** Its label stands beside it already. */
  readonly isBare?: boolean;
}

/** How far something is: a bar, and the number in words. */
export function Progress({ value, isEndless = false, label, said, isBare = false }: ProgressProps) {
  const bar = useRef<HTMLDivElement>(null);
  const share = isEndless || value === undefined ? undefined : Math.min(1, Math.max(0, value));
  const percent = share === undefined ? undefined : Math.round(share * 100);
  useEffect(() => {
    // In the object model: an attribute would be against the page's own policy.
    bar.current?.style.setProperty("--share", `${share ?? 1}`);
  }, [share]);
  return (
    <div class={isBare ? "progress progress-bare" : "progress"}>
      {(!isBare || percent !== undefined) && (
        <p class="progress-words secondary">
          {!isBare && (
            <bdi class="foreign" dir="auto">
              {label}
            </bdi>
          )}
          <span class="progress-number">{percent === undefined ? "In progress" : `${percent} %`}</span>
        </p>
      )}
      <div
        ref={bar}
        class={share === undefined ? "progress-bar progress-endless" : "progress-bar"}
        role="progressbar"
        aria-label={label === "" ? "Progress" : label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={said}
      />
    </div>
  );
}
