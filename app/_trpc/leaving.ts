/**
 * Time after which a page counts as no longer being left. The limit is needed because `beforeunload` fires before the
 * next page is fetched, but also before a download.
 */
const longestMs = 10_000;
let leftMs = -Infinity;

if (typeof window !== "undefined") {
  window.addEventListener("beforeunload", () => (leftMs = performance.now()));
  // The page was restored from the back/forward cache.
  window.addEventListener("pageshow", () => (leftMs = -Infinity));
}

/**
 * True while this page is being left. Requests that fail meanwhile must not redirect the browser: the person chose
 * another page, or the server redirects to the sign-in.
 */
export function isLeaving(): boolean {
  return performance.now() - leftMs < longestMs;
}
