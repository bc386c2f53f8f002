/** Where this browser's identity is kept: one row in IndexedDB, under this origin. The private key in it cannot be read. */

import { named, struct, text } from "../core/reading.ts";
import type { Identity } from "../pairing/conversation.ts";

const DATABASE = "mirrord";
const STORE = "identity";
const ROW = "this browser";

const readIdentity = struct({ device: text, name: text, role: named(["observer", "controller"], "observer"), daemonKey: text }, {});

/** The identity, or undefined when this browser is not paired. */
export async function loadIdentity(): Promise<Identity | undefined> {
  const row = await inStore("readonly", (store) => store.get(ROW));
  const found = readIdentity(row);
  const keys = (row as { keys?: CryptoKeyPair } | undefined)?.keys;
  if (found === undefined || !(keys?.privateKey instanceof CryptoKey)) return undefined;
  return { device: found.device, name: found.name, role: found.role, daemonKey: found.daemonKey, keys };
}

export async function saveIdentity(identity: Identity): Promise<void> {
  await inStore("readwrite", (store) => store.put(identity, ROW));
}

export async function forgetIdentity(): Promise<void> {
  await inStore("readwrite", (store) => store.delete(ROW));
}

async function inStore<T>(mode: IDBTransactionMode, use: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const opening = indexedDB.open(DATABASE, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
  const database = await done(opening);
  try {
    const transaction = database.transaction(STORE, mode);
    const committed = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error ?? new Error("The browser's storage gave up."));
    });
    const result = await done(use(transaction.objectStore(STORE)));
    await committed;
    return result;
  } finally {
    database.close();
  }
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("The browser's storage cannot be used."));
  });
}
