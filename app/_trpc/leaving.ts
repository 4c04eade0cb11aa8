/** Time in ms after `beforeunload` in which the page counts as left; the event also fires before a download. */
const longestMs = 10_000;
let leftMs = -Infinity;

if (typeof window !== "undefined") {
  window.addEventListener("beforeunload", () => (leftMs = performance.now()));
  // The page was restored from the back/forward cache, so the browser is no longer leaving it.
  window.addEventListener("pageshow", () => (leftMs = -Infinity));
}

/** Returns true while the browser leaves the page: failing requests must not redirect it then. */
export function isLeaving(): boolean {
  return performance.now() - leftMs < longestMs;
}
