import { sweepPage } from "#server/domain/pages.ts";
import { Link } from "#app/_ui/Link.tsx";
import type { Field } from "#server/domain/runs/table/field.ts";
import { formatField } from "#server/domain/runs/table/formatField.ts";
import { alarmWords, hindsightWords } from "#packages/detector";
import { titleOf } from "#server/domain/runs/runStatus.ts";
import { Ago } from "#app/_components/Ago.tsx";
import { AlarmPill, HindsightPill } from "#app/_components/stability/FactPills.tsx";
import { StatusPill } from "#app/_ui/StatusPill.tsx";
import type { TableRun } from "./useRunWindows.ts";

type Props = { field: Field; run: TableRun; value: TableRun["values"][number] };

/** A value of a run in its column. Missing values are left empty: no zero, and no dash for screen readers. */
export function CellContent({ field, run, value }: Props) {
  if (value === null) return null;
  if (value instanceof Date) return <Ago at={value} />;
  if (Array.isArray(value)) return <Tags tags={value} />;
  if (field.key === "state") return <State run={run} />;
  if (field.key === "alarm" || field.key === "hindsight") return <Fact kind={field.key} value={String(value)} />;
  if (field.key === "sweep") {
    return (
      <Link href={sweepPage(run.sweepId)} prefetch={false} className="truncate hover:underline">
        {value}
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

export function Tags({ tags }: { tags: readonly string[] }) {
  return tags.map((tag) => (
    <span key={tag} className="mr-1 rounded border border-line bg-sunken px-1.5 text-xs">
      {tag}
    </span>
  ));
}

/** Neutral tone: a finished run may have collapsed. */
function State({ run: { status, reason } }: Pick<Props, "run">) {
  const [tone, icon] =
    status === "failed"
      ? (["bad", "warning"] as const)
      : status === "running"
        ? (["accent", "play"] as const)
        : status === "finished"
          ? (["neutral", "check"] as const)
          : (["neutral", "clock"] as const);
  return (
    <StatusPill tone={tone} icon={icon}>
      {titleOf(status, reason)}
    </StatusPill>
  );
}

function Fact({ kind, value }: { kind: "alarm" | "hindsight"; value: string }) {
  const alarm = alarmWords.find((word) => word === value);
  if (kind === "alarm" && alarm) return <AlarmPill alarm={{ word: alarm, iteration: null }} />;
  const outcome = hindsightWords.find((word) => word === value);
  return outcome ? <HindsightPill hindsight={{ word: outcome, iteration: null }} /> : value;
}
