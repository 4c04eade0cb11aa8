import { useCallback, useEffect, useRef, useState } from "react";
import type { TableRun } from "./useRunWindows.ts";

export type Selection = ReturnType<typeof useSelection>;

/** State of the selected runs, which stay selected when the filter changes. */
export function useSelection(itemAt: (index: number) => TableRun | undefined) {
  // Selected runs: sweep id by run id.
  const [ids, setIds] = useState<ReadonlyMap<string, string>>(new Map());
  const anchor = useRef<number>(undefined);
  // Keeps the callback the same while rows load; otherwise all table cells would be rendered again.
  const latest = useRef(itemAt);
  useEffect(() => {
    latest.current = itemAt;
  });
  /** Selects or deselects the run in a row; with Shift, also the runs between it and the previously toggled row. */
  const toggle = useCallback((index: number, isRange: boolean) => {
    const from = isRange ? (anchor.current ?? index) : index;
    const [low, high] = [Math.min(from, index), Math.max(from, index)];
    const runs = Array.from({ length: high - low + 1 }, (_, i) => latest.current(low + i)).filter(
      (run) => run !== undefined,
    );
    anchor.current = index;
    setIds((before) => {
      const after = new Map(before);
      const clicked = latest.current(index);
      const isOn = clicked !== undefined && !before.has(clicked.id);
      for (const { id, sweepId } of runs) {
        if (isOn) after.set(id, sweepId);
        else after.delete(id);
      }
      return after;
    });
  }, []);
  const isSelected = useCallback((id: string) => ids.has(id), [ids]);
  const replace = useCallback((runs: readonly { id: string; sweepId: string }[]) => {
    setIds(new Map(runs.map(({ id, sweepId }) => [id, sweepId])));
  }, []);
  return { ids, isSelected, toggle, replace };
}
