import { runPage } from "#server/domain/pages.ts";
import { Link } from "#app/_ui/Link.tsx";
import type { Field } from "#server/domain/runs/table/field.ts";
import { MethodDot } from "#app/_ui/MethodDot.tsx";
import { CellContent } from "./CellContent.tsx";
import type { GridColumn } from "./gridColumn.ts";
import type { TableRun } from "./useRunWindows.ts";

type Selection = { isSelected: (id: string) => boolean; onToggle: (index: number, isRange: boolean) => void };

/** The run's name with its checkbox, then the chosen columns. */
export function makeRunColumns(fields: readonly Field[], selection: Selection): GridColumn<TableRun>[] {
  return [
    {
      key: "method",
      title: "Run",
      hint: "Method, configuration and seed",
      width: 248,
      isNumber: false,
      cell: (run, index) => <RunName run={run} index={index} {...selection} />,
    },
    ...fields.map((field, i): GridColumn<TableRun> => {
      return {
        key: field.key,
        title: field.title,
        hint: field.meaning,
        width: widthOf(field),
        isNumber: field.type === "number" || field.type === "duration",
        cell: (run) => <CellContent field={field} run={run} value={run.values[i] ?? null} />,
      };
    }),
  ];
}

function RunName({ run, index, isSelected, onToggle }: { run: TableRun; index: number } & Selection) {
  const name = `${run.method}${run.label === "" ? "" : ` ${run.label}`} seed ${run.seed}`;
  return (
    <>
      <input
        type="checkbox"
        aria-label={`Select ${name}`}
        className="mr-2 size-4 shrink-0 accent-accent"
        checked={isSelected(run.id)}
        onChange={() => undefined}
        onClick={(event) => {
          event.stopPropagation();
          onToggle(index, event.shiftKey);
        }}
      />
      <MethodDot name={run.method} names={[]} />
      {/* No prefetch: a table that scrolls shows hundreds of links a second. */}
      <Link
        href={runPage(run.id)}
        prefetch={false}
        title={name}
        className="min-w-0 truncate font-medium hover:underline"
      >
        {run.method} <span className="font-normal text-muted">{run.label}</span>
      </Link>
      <span className="ml-auto pl-2 text-sm whitespace-nowrap text-muted">seed {run.seed}</span>
    </>
  );
}

function widthOf({ type, key, title, group }: Field): number {
  if (key === "sweep" || key === "note" || key === "configuration" || key === "run") return 200;
  if (key === "state" || key === "alarm" || key === "hindsight") return 124;
  if (type === "list") return 160;
  if (type === "duration") return 104;
  // Metric titles are long and are cut; the tooltip has the whole title. So the default columns fit a laptop's screen.
  if (group === "Metric") return Math.min(176, 24 + 7.5 * title.length);
  return Math.min(220, Math.max(88, 24 + 7.5 * title.length));
}
