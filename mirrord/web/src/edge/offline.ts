/** The worker that keeps this page's own files, so that it opens without a network and says what is wrong. */

const WORKER = "/sw.js";

/** The only script address that this page ever makes: the policy of the page demands that it is declared. */
interface ScriptPolicy {
  createScriptURL(url: string): string;
}
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): ScriptPolicy;
}

export function keepOffline(): void {
  if (!("serviceWorker" in navigator) || !import.meta.env.PROD) return;
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  const policy = trustedTypes?.createPolicy("mirrord", {
    createScriptURL: (url) => {
      if (url !== WORKER) throw new TypeError("No script of that name.");
      return url;
    },
  });
  // Refused in some private windows: the page works as well without.
  navigator.serviceWorker.register(policy?.createScriptURL(WORKER) ?? WORKER).catch(() => {});
}
