/**
 * Time in ms after `beforeunload` for which the browser counts as leaving the page. The limit is needed because the
 * event also fires before a download, after which the page stays.
 */
const longestMs = 10_000;
let leftMs = -Infinity;

if (typeof window !== "undefined") {
  window.addEventListener("beforeunload", () => (leftMs = performance.now()));
  // The page was restored from the back/forward cache, so the browser is no longer leaving it.
  window.addEventListener("pageshow", () => (leftMs = -Infinity));
}

/**
 * Returns true while the browser is leaving this page. Requests that fail meanwhile must not redirect the browser:
 * the user chose another page, or the server redirects to the sign-in.
 */
export function isLeaving(): boolean {
  return performance.now() - leftMs < longestMs;
}
