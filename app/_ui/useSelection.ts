"use client";
import { usePathname, useRouter, useSearchParams } from "next/navigation";
import { useCallback, useEffect, useMemo, useSyncExternalStore } from "react";
import { carrySelection, selectionOf } from "./selection.ts";
import { makeStore } from "./store.ts";

/** Returns the ids of the sweeps that the current page shows; links add them to their URLs. */
export function useSelection(): readonly string[] {
  const path = usePathname();
  const routed = useSearchParams().toString();
  const shown = useSyncExternalStore(registered.subscribe, registered.read, () => nothing);
  return useMemo(
    () => selectionOf({ path, query: new URLSearchParams(routed), shown: shown.path === path ? shown.sweepIds : [] }),
    [path, routed, shown],
  );
}

/** Returns a function that navigates to a page, with the current page's sweeps added to its URL. */
export function useGo(): (href: string) => void {
  const router = useRouter();
  return useCallback(
    (href) => {
      const { pathname: path, search } = window.location;
      const { path: shownPath, sweepIds } = registered.read();
      const shown = shownPath === path ? sweepIds : [];
      router.push(carrySelection(href, selectionOf({ path, query: new URLSearchParams(search), shown })));
    },
    [router],
  );
}

/** Registers the sweeps that a page shows although its URL does not name them, so that links can add them. */
export function useShownSweeps(sweepIds: readonly string[]): void {
  const path = usePathname();
  const ids = sweepIds.join("\n");
  useEffect(() => {
    registered.write({ path, sweepIds: ids === "" ? [] : ids.split("\n") });
  }, [path, ids]);
}

type Shown = { path: string; sweepIds: readonly string[] };
const nothing: Shown = { path: "", sweepIds: [] };
const registered = makeStore(nothing);
