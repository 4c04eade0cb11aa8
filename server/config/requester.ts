import { AsyncLocalStorage } from "node:async_hooks";

declare global {
  // Next.js loads a module once per bundle, and a pool made in one bundle serves requests of the others.
  var arlarenaRequester: AsyncLocalStorage<string> | undefined;
}

const requester = (globalThis.arlarenaRequester ??= new AsyncLocalStorage());

/** Performs `work` for a person, or for the address of somebody who has not signed in. Queues serve them in turn. */
export function serveRequester<Result>(name: string, work: () => Result): Result {
  return requester.run(name, work);
}

/** Returns the person or address for whom the current work is done; "" for the process's own work. */
export function currentRequester(): string {
  return requester.getStore() ?? "";
}
