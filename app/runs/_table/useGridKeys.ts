"use client";
import { useGo } from "#app/_ui/useSelection.ts";
import { useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import type { TableRun } from "./useRunWindows.ts";

type Grid = {
  total: number;
  itemAt: (index: number) => TableRun | undefined;
  onToggle: (index: number, isRange: boolean) => void;
};

/** j and k go from row to row, x selects (with shift up to there), Enter opens. */
export function useGridKeys({ total, itemAt, onToggle }: Grid) {
  const go = useGo();
  const [active, setActive] = useState(-1);
  // Keys come faster than a busy page draws: each begins where the one before it went, not at the row last drawn.
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
        // A link or button that has the focus does its own.
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
