"use client";
import { useGo } from "#app/_ui/useSelection.ts";
import { useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import type { TableRun } from "./useRunWindows.ts";

type Grid = {
  total: number;
  itemAt: (index: number) => TableRun | undefined;
  onToggle: (index: number, isRange: boolean) => void;
};

/** j and k move between rows, x selects (with Shift a range), Enter opens. */
export function useGridKeys({ total, itemAt, onToggle }: Grid) {
  const go = useGo();
  const [active, setActive] = useState(-1);
  // Keys arrive faster than a busy page renders: each starts at the last target, not at the last rendered row.
  const at = useRef(-1);
  const goTo = useCallback((index: number) => {
    at.current = index;
    setActive(index);
  }, []);
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const { target } = event;
    const isElement = target instanceof HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (isElement && target.closest("input:not([type=checkbox]), textarea, select, dialog")) return;
    const index = Math.min(at.current, total - 1);
    switch (event.key) {
      case "j":
        return goTo(Math.min(total - 1, index + 1));
      case "k":
        return goTo(Math.max(0, index - 1));
      case "x":
      case "X":
        return index >= 0 ? onToggle(index, event.shiftKey) : undefined;
      case "Enter": {
        const run = itemAt(index);
        // A focused link or button keeps its own key behaviour.
        if (run && !(isElement && target.closest("a, button"))) go(`/runs/${run.id}`);
      }
    }
  });
  useEffect(() => {
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  return { active: Math.min(active, total - 1), setActive: goTo };
}
