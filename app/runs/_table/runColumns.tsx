import { useQuery } from "@tanstack/react-query";
import { nameInStudy, readableName } from "#server/domain/plan/sweep/readableName.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Ago } from "#app/_components/Ago.tsx";
import { AlarmPill, HindsightPill } from "#app/_components/stability/StatusStrip.tsx";
import { StatusPill } from "#app/_ui/StatusPill.tsx";
import { states } from "#app/_ui/states.ts";
import { alarmWords, readOutcome } from "#packages/detector";
import { runPage, sweepPage } from "#server/domain/pages.ts";
import { Link } from "#app/_ui/Link.tsx";
import { titleOf } from "#server/domain/runs/runStatus.ts";
import type { Field } from "#server/domain/runs/table/field.ts";
import { ConfigurationDot } from "#app/_ui/MethodChip.tsx";
import { formatField } from "#server/domain/runs/table/formatField.ts";
import { columnOf, type GridColumn } from "./gridColumn.ts";
import type { TableRun } from "./useRunWindows.ts";

type Selection = { isSelected: (id: string) => boolean; onToggle: (index: number, isRange: boolean) => void };

export function makeRunColumns(fields: readonly Field[], selection: Selection): GridColumn<TableRun>[] {
  return [
    {
      key: "method",
      title: "Run",
      hint: "Method, configuration and seed",
      width: 264,
      isNumber: false,
      cell: (run, index) => <RunName run={run} index={index} {...selection} />,
    },
    ...fields.map((field, i): GridColumn<TableRun> => ({
      ...columnOf(field),
      width: widthOf(field),
      cell: (run) => <CellContent field={field} run={run} value={run.values[i] ?? null} />,
    })),
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
      <ConfigurationDot {...run.look} />
      {/* Links are not prefetched: a scrolling table shows hundreds of them per second. */}
      <Link
        href={runPage(run.id)}
        prefetch={false}
        title={name}
        className="min-w-0 truncate font-medium hover:underline"
      >
        {run.method} <span className="font-normal text-muted">{run.label}</span>
      </Link>
      <span className="ml-auto pl-2 text-sm whitespace-nowrap text-muted">
        <span className="max-sm:sr-only">seed</span> {run.seed}
      </span>
    </>
  );
}

function widthOf(field: Field): number {
  const { type, key, group } = field;
  const { title } = columnOf(field);
  if (key === "sweep") return 168;
  if (key === "hindsight") return 144;
  if (key === "note" || key === "configuration" || key === "run") return 200;
  if (key === "state") return 112;
  if (key === "alarm") return 136;
  if (type === "list") return 160;
  if (type === "duration") return 96;
  // Limits metric columns, whose titles are long, so that the default columns fit a laptop's screen.
  if (group === "Metric") return Math.min(152, 24 + 7.5 * title.length);
  return Math.min(220, Math.max(88, 24 + 7.5 * title.length));
}

type Props = { field: Field; run: TableRun; value: TableRun["values"][number] };

function CellContent({ field, run, value }: Props) {
  if (value === null) return null;
  if (value instanceof Date) return <Ago at={value} />;
  if (Array.isArray(value)) return <Tags tags={value} />;
  if (field.key === "state") return <State run={run} />;
  if (field.key === "alarm" || field.key === "hindsight") return <Fact kind={field.key} value={String(value)} />;
  if (field.key === "sweep") {
    return (
      <Link href={sweepPage(run.sweepId)} prefetch={false} className="truncate hover:underline">
        <SweepName id={run.sweepId} name={String(value)} />
      </Link>
    );
  }
  const text = formatField(value, field);
  return (
    <span className="truncate" title={text}>
      {text}
    </span>
  );
}

/** Name of a sweep; if it branches from a run, without the run's id and sweep, so that what follows them is seen. */
function SweepName({ id, name }: { id: string; name: string }) {
  const { data: sweep = { name } } = useQuery(
    useTrpc().sweep.list.queryOptions(undefined, {
      staleTime: 60_000,
      select: (sweeps) => sweeps.find((one) => one.id === id),
    }),
  );
  return <span title={readableName(sweep)}>{nameInStudy(sweep)}</span>;
}

function Tags({ tags }: { tags: readonly string[] }) {
  return tags.map((tag) => (
    <span key={tag} className="mr-1 rounded border border-line bg-sunken px-1.5 text-xs">
      {tag}
    </span>
  ));
}

function State({ run: { status, reason } }: Pick<Props, "run">) {
  return <StatusPill {...states[status]}>{titleOf(status, reason)}</StatusPill>;
}

function Fact({ kind, value }: { kind: "alarm" | "hindsight"; value: string }) {
  const alarm = alarmWords.find((word) => word === value);
  if (kind === "alarm" && alarm) return <AlarmPill alarm={{ word: alarm, iteration: null }} />;
  const outcome = readOutcome(value);
  return outcome ? <HindsightPill hindsight={outcome} /> : value;
}
