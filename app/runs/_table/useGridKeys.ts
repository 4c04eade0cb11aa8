"use client";
import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import type { TableRun } from "./useRunWindows.ts";

type Grid = {
  total: number;
  itemAt: (index: number) => TableRun | undefined;
  onToggle: (index: number, isRange: boolean) => void;
};

/** j and k go from row to row, x selects (with shift up to there), Enter opens. */
export function useGridKeys({ total, itemAt, onToggle }: Grid) {
  const router = useRouter();
  const [active, setActive] = useState(-1);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { target } = event;
      const isElement = target instanceof HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (isElement && target.closest("input:not([type=checkbox]), textarea, select, dialog")) return;
      switch (event.key) {
        case "j":
          return setActive((at) => Math.min(total - 1, at + 1));
        case "k":
          return setActive((at) => Math.max(0, at - 1));
        case "x":
        case "X":
          return active >= 0 ? onToggle(active, event.shiftKey) : undefined;
        case "Enter": {
          const run = itemAt(active);
          // A link or button that has the focus does its own.
          if (run && !(isElement && target.closest("a, button"))) router.push(`/runs/${run.id}`);
        }
      }
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [router, total, itemAt, onToggle, active]);
  return { active: Math.min(active, total - 1), setActive };
}
