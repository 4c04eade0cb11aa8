import { SpreadText } from "#app/_ui/SpreadText.tsx";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { inferRouterOutputs } from "@trpc/server";
import { useCallback, useMemo, useState } from "react";
import { MethodDot } from "#app/_ui/MethodChip.tsx";
import type { AppRouter } from "#server/api/root.ts";
import { type Field, isMeasured, unitOf } from "#server/domain/runs/table/field.ts";
import { formatField } from "#server/domain/runs/table/formatField.ts";
import type { Order, RunView } from "#server/domain/runs/table/scope.ts";
import { formatCount } from "#app/_charts/format.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { type CollapseCount, writeCollapses } from "#packages/detector";
import { type Interval, nameSpread, spreadHead, partsOf, spreadMeaning } from "#packages/statistics";
import { Busy, Skeleton } from "#app/_ui/Busy.tsx";
import { EmptyState, Notice } from "#app/_ui/Notice.tsx";
import { columnOf, type GridColumn } from "./gridColumn.ts";
import { useSizing } from "./useSizing.ts";
import { VirtualGrid } from "./VirtualGrid.tsx";
import { quote } from "#server/domain/runs/table/splitWords.ts";

type Props = {
  asked: Omit<RunView, "groupBy">;
  groupBy: readonly string[];
  /** Fields of `groupBy`, with those that "configuration" adds. */
  by: readonly Field[];
  fields: readonly Field[];
  onOrder: (order: Order) => void;
  /** Called with the words of a filter that select the runs of one group. */
  onOpen: (filter: string) => void;
};

export function GroupTable({ asked, groupBy, by, fields, onOrder, onOpen }: Props) {
  const trpc = useTrpc();
  const shown = useMemo(() => fields.filter(({ key }) => !by.some((one) => one.key === key)), [fields, by]);
  const input = { ...asked, columns: shown.map(({ key }) => key), groupBy: [...groupBy] };
  const { data, error, isPlaceholderData } = useQuery(
    trpc.runTable.groups.queryOptions(input, { placeholderData: keepPreviousData }),
  );
  const [active, setActive] = useState(-1);
  const [sizing, setSizing] = useSizing();
  const columns = makeGroupColumns({
    by,
    columns: shown,
    onOpen: ({ keys }) => onOpen(groupFilter(by, keys)),
  });
  const groups = data?.groups;
  const itemAt = useCallback((index: number) => groups?.[index], [groups]);
  const onRange = useCallback(() => undefined, []);
  if (error) return <Notice tone="bad">{errorWords(error)}</Notice>;
  if (!groups) return <Skeleton className="h-96" />;
  if (groups.length === 0)
    return <EmptyState title="No matches">No run matches the filter, so there are no groups.</EmptyState>;
  const numRuns = groups.reduce((sum, { count }) => sum + count, 0);
  return (
    <Busy isBusy={isPlaceholderData}>
      <p className="mb-2 text-sm text-muted" role="status">
        {formatCount(groups.length, "group")} of {formatCount(numRuns, "run")}. Metrics, durations and costs are shown
        as {spreadHead} over the runs of a group with at least three runs.
        {groups.some(({ cells }) => cells.some((cell, i) => cell.kind === "several" && shown[i]?.group === "Metric")) &&
          " Metrics of several environments have no common mean: group by environment, too."}
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

function groupFilter(by: readonly Field[], keys: readonly (string | null)[]): string {
  const words = by.flatMap((field, i) => {
    const key = keys[i] ?? null;
    if (key === null) return [`-${field.key}:*`];
    if (field.type === "list") return key.split(", ").map((item) => `${field.key}=${quote(item)}`);
    return [`${field.key}=${quote(key)}`];
  });
  return words.join(" ");
}

type TableGroup = inferRouterOutputs<AppRouter>["runTable"]["groups"]["groups"][number];

type Asked = { by: readonly Field[]; columns: readonly Field[]; onOpen: (group: TableGroup) => void };

export function makeGroupColumns({ by, columns, onOpen }: Asked): GridColumn<TableGroup>[] {
  return [
    ...by.map((field, i): GridColumn<TableGroup> => ({
      ...columnOf(field),
      width: groupWidth(field, i),
      isNumber: i > 0 && field.type === "number",
      cell: (group) => {
        const text = nameKey(group.titles[i] ?? null, field);
        if (i > 0) return <span className="truncate">{text}</span>;
        return (
          <button type="button" className="flex min-w-0 items-center hover:underline" onClick={() => onOpen(group)}>
            {field.key === "method" && <MethodDot name={text} names={[]} />}
            <span className="truncate font-medium">{text}</span>
          </button>
        );
      },
    })),
    { key: "count", title: "Runs", hint: "Runs of the group", width: 80, isNumber: true, cell: ({ count }) => count },
    ...columns.map((field, i): GridColumn<TableGroup> => ({
      ...columnOf(field),
      width: isMeasured(field) ? 190 : (judgements[field.key]?.width ?? 130),
      cell: (group) => <GroupContent cell={group.cells[i] ?? { kind: "none" }} field={field} numRuns={group.count} />,
    })),
  ];
}

/** Columns that count the judged runs of a group. */
const judgements: Readonly<Record<string, { width: number; write: (count: CollapseCount) => string }>> = {
  hindsight: { width: 230, write: (count) => writeCollapses(count) },
  alarm: { width: 180, write: ({ numCollapsed, numJudged }) => `${numCollapsed} of ${numJudged} unstable` },
};

function groupWidth({ key }: Field, index: number): number {
  if (key === "configuration") return 280;
  if (key === "environment") return 110;
  return index === 0 ? 220 : 200;
}

function nameKey(key: string | null, field: Field): string {
  if (key === null) return "none";
  const { isNumber } = columnOf(field);
  return formatField(isNumber ? Number(key) : key, field);
}

type makeGroupColumnsProps = { cell: TableGroup["cells"][number]; field: Field; numRuns: number };

function GroupContent({ cell, field, numRuns }: makeGroupColumnsProps) {
  switch (cell.kind) {
    case "none":
      return null;
    case "same":
      return (
        <span className="truncate">
          {typeof cell.value === "string" ? nameKey(cell.value, field) : formatField(cell.value, field)}
        </span>
      );
    case "collapses":
      return <span className="truncate">{judgements[field.key]?.write(cell)}</span>;
    case "several":
      return (
        <span className="text-muted" title={field.group === "Metric" ? "No mean over several environments" : undefined}>
          {cell.count} {field.group === "Metric" ? "environments" : "values"}
        </span>
      );
    case "mean": {
      const { n } = cell;
      return (
        <span title={`${nameSpread({ fewest: n, most: n }, "run")}${cell.interval ? `. ${spreadMeaning}` : ""}`}>
          {field.group === "Metric" ? (
            <SpreadText parts={partsOf(cell, unitOf(field.key))} />
          ) : (
            <>
              {formatField(cell.mean, field)}
              {cell.interval && <span className="text-muted"> {formatEnds(cell.interval, field)}</span>}
            </>
          )}
          {n < numRuns && <span className="ml-1 text-xs text-muted">of {n}</span>}
        </span>
      );
    }
  }
}

function formatEnds(interval: Interval, field: Field): string {
  return `[${formatField(interval.low, field)}, ${formatField(interval.high, field)}]`;
}
