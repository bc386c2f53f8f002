import type { FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";

/** A component in a file of its own. */
export interface Later<P> {
  readonly Component: FunctionComponent<P>;
  /** Asks for the file, so that it is there when it is needed. */
  readonly fetch: () => void;
}

/** What `load` gives, once it is there; `Meanwhile` before that, and with `hasFailed` when it cannot be had. */
export function lazily<P extends object>(
  load: () => Promise<FunctionComponent<P>>,
  Meanwhile: FunctionComponent<P & { readonly hasFailed: boolean }>,
): Later<P> {
  let loaded: FunctionComponent<P> | undefined;
  let coming: Promise<void> | undefined;
  const fetch = (): Promise<void> => {
    coming ??= load().then(
      (component) => void (loaded = component),
      // The next one who needs it tries again.
      () => void (coming = undefined),
    );
    return coming;
  };
  function Component(props: P) {
    const [Drawn, draw] = useState(() => loaded);
    const [hasFailed, fail] = useState(false);
    useEffect(() => {
      if (Drawn !== undefined) return undefined;
      let isThere = true;
      const take = (): void => {
        if (!isThere) return;
        draw(() => loaded);
        fail(loaded === undefined);
      };
      void fetch().then(take);
      return () => void (isThere = false);
    }, []);
    return Drawn === undefined ? <Meanwhile {...props} hasFailed={hasFailed} /> : <Drawn {...props} />;
  }
  return { Component, fetch: () => void fetch() };
}
