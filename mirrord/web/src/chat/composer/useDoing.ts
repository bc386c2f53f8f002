import { useState } from "preact/hooks";

export interface DoingState {
  readonly isBusy: boolean;
  /** Why the last one did not happen, as a sentence. */
  readonly failure: string | undefined;
  /** Follow something that was begun. `done`: after it went well. */
  readonly begin: (promise: Promise<unknown>, done?: () => void) => void;
  readonly forget: () => void;
}

/** Something that a person asked for and that may not happen. */
export function useDoing(): DoingState {
  const [isBusy, setBusy] = useState(false);
  const [failure, fail] = useState<string | undefined>(undefined);
  return {
    isBusy,
    failure,
    begin: (promise, done) => {
      setBusy(true);
      fail(undefined);
      promise.then(
        () => {
          setBusy(false);
          done?.();
        },
        (error: unknown) => {
          setBusy(false);
          fail(error instanceof Error ? error.message : "It did not happen.");
        },
      );
    },
    forget: () => fail(undefined),
  };
}
