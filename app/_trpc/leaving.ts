/** A browser asks a page whether it may go on to another one before it fetches that; a download begins so too. */
const longestMs = 10_000;
let leftMs = -Infinity;

if (typeof window !== "undefined") {
  window.addEventListener("beforeunload", () => (leftMs = performance.now()));
  // Back from the browser's memory.
  window.addEventListener("pageshow", () => (leftMs = -Infinity));
}

/**
 * Whether this page is being left. Its requests that fail meanwhile must not send the browser elsewhere: the person chose
 * where to go, or the server has sent them to sign in.
 */
export function isLeaving(): boolean {
  return performance.now() - leftMs < longestMs;
}
