"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import type { Field } from "#server/domain/runs/table/field.ts";
import type { Order, RunView } from "#server/domain/runs/table/view.ts";
import { formatCount } from "#app/_charts/format.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { spreadHead } from "#packages/statistics";
import { Busy } from "#app/_ui/Busy.tsx";
import { EmptyState } from "#app/_ui/EmptyState.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { Skeleton } from "#app/_ui/Skeleton.tsx";
import { makeGroupColumns } from "./groupColumns.tsx";
import { useSizing } from "./useSizing.ts";
import { VirtualGrid } from "./VirtualGrid.tsx";
import { quote } from "#server/domain/runs/table/splitWords.ts";

type Props = {
  asked: Omit<RunView, "groupBy">;
  by: readonly Field[];
  fields: readonly Field[];
  onOrder: (order: Order) => void;
  /** Shows the runs of a group, by a filter. */
  onOpen: (filter: string) => void;
};

/** Table with one row per group of runs that share the values of some fields. */
export function GroupTable({ asked, by, fields, onOrder, onOpen }: Props) {
  const trpc = useTrpc();
  const groupBy = by.map(({ key }) => key);
  const shown = useMemo(() => fields.filter(({ key }) => !by.some((one) => one.key === key)), [fields, by]);
  const input = { ...asked, columns: shown.map(({ key }) => key), groupBy };
  const { data, error, isPlaceholderData } = useQuery(
    trpc.runTable.groups.queryOptions(input, { placeholderData: keepPreviousData }),
  );
  const [active, setActive] = useState(-1);
  const [sizing, setSizing] = useSizing();
  const columns = makeGroupColumns({
    by,
    columns: shown,
    onOpen: ({ keys }) => onOpen(groupFilter(asked.filter, by, keys)),
  });
  const groups = data?.groups;
  const itemAt = useCallback((index: number) => groups?.[index], [groups]);
  const onRange = useCallback(() => undefined, []);
  if (error) return <Notice tone="bad">{errorWords(error)}</Notice>;
  if (!groups) return <Skeleton className="h-96" />;
  if (groups.length === 0) return <EmptyState title="No matches">There are no runs to group.</EmptyState>;
  const numRuns = groups.reduce((sum, { count }) => sum + count, 0);
  return (
    <Busy isBusy={isPlaceholderData}>
      <p className="mb-2 text-sm text-muted" role="status">
        {formatCount(groups.length, "group")} of {formatCount(numRuns, "run")}; metrics, durations and costs are{" "}
        {spreadHead} over the runs of a group, from three on
      </p>
      <VirtualGrid
        label="Groups of runs"
        columns={columns}
        numRows={groups.length}
        itemAt={itemAt}
        onRange={onRange}
        order={asked.order}
        onOrder={onOrder}
        sizing={sizing}
        onSizing={setSizing}
        active={active}
        isSelected={() => false}
        onPick={setActive}
      />
    </Busy>
  );
}

/** Filter for the runs of one group: the table's filter, and the group's values. */
function groupFilter(filter: string, by: readonly Field[], keys: readonly (string | null)[]): string {
  const words = by.flatMap((field, i) => {
    const key = keys[i] ?? null;
    if (key === null) return [`-${field.key}:*`];
    if (field.type === "list") return key.split(", ").map((item) => `${field.key}=${quote(item)}`);
    return [`${field.key}=${quote(key)}`];
  });
  return [filter.trim(), ...words].filter((word) => word !== "").join(" ");
}
