"use client";
import { useMemo } from "react";
import type { Field } from "#server/domain/runtable/field.ts";
import type { Order, RunView } from "#server/domain/runtable/view.ts";
import { formatCount } from "#app/_charts/format.ts";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { EmptyState } from "#app/_ui/EmptyState.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { Skeleton } from "#app/_ui/Skeleton.tsx";
import { makeRunColumns } from "./runColumns.tsx";
import { useGridKeys } from "./useGridKeys.ts";
import { useRunWindows } from "./useRunWindows.ts";
import { useSelection } from "./useSelection.ts";
import { useSizing } from "./useSizing.ts";
import { VirtualGrid } from "./VirtualGrid.tsx";

type Props = {
  asked: Omit<RunView, "groupBy">;
  fields: readonly Field[];
  onOrder: (order: Order) => void;
};

/** Run by run. */
export function RunTable({ asked, fields, onOrder }: Props) {
  const { query, total, itemAt, onRange } = useRunWindows(asked);
  const selection = useSelection(itemAt);
  const { isSelected, toggle } = selection;
  const keys = useGridKeys({ total, itemAt, onToggle: toggle });
  const [sizing, setSizing] = useSizing();
  const columns = useMemo(() => makeRunColumns(fields, { isSelected, onToggle: toggle }), [fields, isSelected, toggle]);
  if (query.isPending) return <Skeleton className="h-96" />;
  if (query.error) return <Notice tone="bad">{errorWords(query.error)}</Notice>;
  if (total === 0) return <NoRuns filter={asked.filter} />;
  const { numUnsummarised } = query.data;
  return (
    <>
      <p className="mb-2 text-sm text-muted" role="status">
        {formatCount(total, "run")}
        {selection.ids.size > 0 && `, ${selection.ids.size} selected`}
        {numUnsummarised > 0 && `; values of ${formatCount(numUnsummarised, "run")} are being brought up to date`}
      </p>
      <VirtualGrid
        label="Runs"
        columns={columns}
        numRows={total}
        itemAt={itemAt}
        onRange={onRange}
        order={asked.order}
        onOrder={onOrder}
        sizing={sizing}
        onSizing={setSizing}
        active={keys.active}
        isSelected={(run) => isSelected(run.id)}
        onPick={keys.setActive}
        corner={null}
      />
    </>
  );
}

function NoRuns({ filter }: { filter: string }) {
  if (filter.trim() === "") {
    return <EmptyState title="No runs yet">Runs of sweeps, of imported files and of trackers stand here.</EmptyState>;
  }
  return (
    <EmptyState title="No run matches">
      All words of the filter have to hold. Archived runs are among them only if it says <code>archived</code>.
    </EmptyState>
  );
}
