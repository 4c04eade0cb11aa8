"use client";
import { usePathname, useSearchParams } from "next/navigation";
import { useEffect, useState } from "react";

/** Time in ms after which the bar ends even if no page came, such as after a click that another handler prevents. */
const longestMs = 15_000;

/** A bar at the top of the window from a click on a link until its page is shown. */
export function LoadingBar() {
  const here = `${usePathname()}?${useSearchParams()}`;
  const [leaving, setLeaving] = useState<string>();
  useEffect(() => {
    const onClick = (event: MouseEvent) => {
      if (leadsElsewhere(event))
        setLeaving(`${window.location.pathname}?${new URLSearchParams(window.location.search)}`);
    };
    document.addEventListener("click", onClick, { capture: true });
    return () => document.removeEventListener("click", onClick, { capture: true });
  }, []);
  useEffect(() => {
    if (leaving === undefined) return;
    const timer = setTimeout(() => setLeaving(undefined), longestMs);
    return () => clearTimeout(timer);
  }, [leaving]);
  if (leaving !== undefined && leaving !== here) setLeaving(undefined);
  // Screen readers announce a text that appears in a live region which was there before.
  return (
    <div aria-live="polite">
      {leaving !== undefined && (
        <div data-leaving="" className="fixed inset-x-0 top-0 z-50 h-0.5 animate-pulse bg-accent">
          <span className="sr-only">Loading the page</span>
        </div>
      )}
    </div>
  );
}

/** True for a plain click on a link to another page of the studio; files and other tabs show their own progress. */
function leadsElsewhere({ target, button, metaKey, ctrlKey, shiftKey, altKey }: MouseEvent): boolean {
  if (button !== 0 || metaKey || ctrlKey || shiftKey || altKey || !(target instanceof Element)) return false;
  const link = target.closest("a");
  if (!link || link.target !== "" || link.hasAttribute("download")) return false;
  const { origin, pathname, search } = new URL(link.href, window.location.href);
  if (origin !== window.location.origin || pathname.startsWith("/api/")) return false;
  return pathname !== window.location.pathname || search !== window.location.search;
}
