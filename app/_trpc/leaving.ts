/** A browser asks a page whether it may go on to another one before it fetches that; a download begins so too. */
const longestMs = 10_000;
let leftMs = -Infinity;

if (typeof window !== "undefined") {
  window.addEventListener("beforeunload", () => (leftMs = performance.now()));
  // Back from the browser's memory.
  window.addEventListener("pageshow", () => (leftMs = -Infinity));
}

/**
 * True while this page is being left. Requests that fail meanwhile must not redirect the browser: the person chose
 * another page, or the server redirects to the sign-in.
 */
export function isLeaving(): boolean {
  return performance.now() - leftMs < longestMs;
}
