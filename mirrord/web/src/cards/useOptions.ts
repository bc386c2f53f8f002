import { useEffect, useRef, useState } from "preact/hooks";
import type { CardProps } from "./contract.ts";
import { begin, loaded, wanted, type Options } from "./options.ts";

export interface Loading {
  readonly options: Options;
  readonly change: (make: (before: Options) => Options) => void;
  readonly isLoading: boolean;
  /** Why the next page did not come. */
  readonly error: string | undefined;
  readonly retry: () => void;
}

/** The options of a select, and the pages of them as they are wanted, one at a time. */
export function useOptions({ prompt, loadOptions }: CardProps): Loading {
  const [options, change] = useState(() => begin(prompt));
  const [error, setError] = useState<string>();
  const isThere = useRef(true);
  const asked = useRef<number | undefined>(undefined);
  const offset = wanted(options);
  useEffect(() => () => void (isThere.current = false), []);
  useEffect(() => {
    if (offset === undefined || error !== undefined || asked.current === offset) return;
    asked.current = offset;
    const settle = (after: () => void): void => {
      asked.current = undefined;
      if (isThere.current) after();
    };
    loadOptions(offset).then(
      (page) => settle(() => change((before) => loaded(before, page))),
      (reason: unknown) => settle(() => setError(reason instanceof Error ? reason.message : "The options could not be loaded.")),
    );
  }, [offset, error, loadOptions]);
  return { options, change, isLoading: offset !== undefined && error === undefined, error, retry: () => setError(undefined) };
}
