import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "#server/api/root.ts";
import { isMeasured, type Field } from "#server/domain/runs/table/field.ts";
import { formatField } from "#server/domain/runs/table/formatField.ts";
import { type Interval, nameSpread, spreadMeaning, writeInterval } from "#packages/statistics";
import { MethodDot } from "#app/_ui/MethodDot.tsx";
import type { GridColumn } from "./gridColumn.ts";

export type TableGroup = inferRouterOutputs<AppRouter>["runTable"]["groups"]["groups"][number];

type Asked = { by: readonly Field[]; columns: readonly Field[]; onOpen: (group: TableGroup) => void };

/** Columns of the group table: the group's values, its number of runs, and the summaries of the columns. */
export function makeGroupColumns({ by, columns, onOpen }: Asked): GridColumn<TableGroup>[] {
  return [
    ...by.map((field, i): GridColumn<TableGroup> => {
      return {
        key: field.key,
        title: field.title,
        hint: field.meaning,
        width: i === 0 ? 220 : 180,
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
      };
    }),
    { key: "count", title: "Runs", hint: "Runs of the group", width: 80, isNumber: true, cell: ({ count }) => count },
    ...columns.map((field, i): GridColumn<TableGroup> => {
      return {
        key: field.key,
        title: field.title,
        hint: field.meaning,
        width: isMeasured(field) ? 190 : 130,
        isNumber: field.type === "number" || field.type === "duration",
        cell: (group) => <GroupContent cell={group.cells[i] ?? { kind: "none" }} field={field} numRuns={group.count} />,
      };
    }),
  ];
}

function nameKey(key: string | null, field: Field): string {
  if (key === null) return "none";
  const isNumber = field.type === "number" || field.type === "duration";
  return formatField(isNumber ? Number(key) : key, field);
}

type Props = { cell: TableGroup["cells"][number]; field: Field; numRuns: number };

function GroupContent({ cell, field, numRuns }: Props) {
  switch (cell.kind) {
    case "none":
      return null;
    case "same":
      return (
        <span className="truncate">
          {typeof cell.value === "string" ? nameKey(cell.value, field) : formatField(cell.value, field)}
        </span>
      );
    case "several":
      return <span className="text-muted">{cell.count} different</span>;
    case "mean": {
      const { n } = cell;
      return (
        <span title={`${nameSpread({ fewest: n, most: n }, "run")}${cell.interval ? `. ${spreadMeaning}` : ""}`}>
          {formatField(cell.mean, field)}
          {cell.interval && <span className="text-muted"> {formatEnds(cell.interval, field)}</span>}
          {n < numRuns && <span className="ml-1 text-xs text-muted">of {n}</span>}
        </span>
      );
    }
  }
}

function formatEnds(interval: Interval, field: Field): string {
  if (field.group === "Metric") return writeInterval(interval, "significant");
  return `[${formatField(interval.low, field)}, ${formatField(interval.high, field)}]`;
}
