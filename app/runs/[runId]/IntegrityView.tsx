import { useQuery } from "@tanstack/react-query";
import type { RunDetail } from "#server/db/runs/runs.ts";
import type { IntegrityReport } from "#server/domain/runs/integrity/report.ts";
import { formatCount, formatDuration } from "#app/_charts/format.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { keyedBy } from "#app/_trpc/keyedBy.ts";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Notice } from "#app/_ui/Notice.tsx";
import { StatusPill } from "#app/_ui/StatusPill.tsx";
import { RecordTable } from "#app/_ui/Table.tsx";

const looks = {
  whole: { tone: "good", icon: "check", text: "Complete" },
  open: { tone: "accent", icon: "play", text: "Complete so far" },
  broken: { tone: "bad", icon: "warning", text: "Incomplete" },
} as const;

/** Compares the number of the run's logged values in the database with a new count in the logs of its attempts. */
export function IntegrityView({ run }: { run: RunDetail }) {
  const trpc = useTrpc();
  const lines = run.attempts.reduce((sum, { numMetricLines }) => sum + numMetricLines, 0);
  const counted = trpc.run.integrity.queryOptions({ id: run.id }, { enabled: lines > 0, staleTime: 5000 });
  // Counts again when the run's state changes; in between, the count dates from the opening of the page.
  const { data, error } = useQuery(keyedBy(counted, run.status, run.attempts.length));
  if (lines === 0) return <p className="text-muted">No data yet.</p>;
  if (error) return <Notice tone="bad">{errorWords(error)}</Notice>;
  if (!data) return <p className="min-h-24 text-muted">Counting the values in the logs …</p>;
  return <Report report={data} />;
}

function Report({ report }: { report: IntegrityReport }) {
  const { tone, icon, text } = looks[report.verdict];
  const { iterations, points } = report;
  const silences = report.attempts.flatMap(({ number, silences: pauses }) =>
    pauses.map((silence) => ({ number, ...silence })),
  );
  const words = [
    report.verdict === "whole" && "all logged values are stored, each iteration once",
    `${formatCount(iterations.stored, "iteration")} of ${iterations.expected.toLocaleString("en-US")}`,
    `${formatCount(points.stored, "value")} stored`,
    points.superseded > 0 && `about ${formatCount(points.superseded, "value")} replaced by a later attempt`,
    points.nonFinite > 0 &&
      `${formatCount(points.nonFinite, "value")} not finite (NaN or infinite), stored as they are`,
  ].filter(Boolean);
  return (
    <div className="space-y-3">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <StatusPill tone={tone} icon={icon}>
          {text}
        </StatusPill>
        <span className="text-muted first-letter:uppercase">{words.join(", ")}</span>
      </p>
      {report.problems.length > 0 && (
        <ul className="list-disc pl-5 text-bad">
          {report.problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      <details open={report.problems.length > 0 || report.attempts.length > 1}>
        <summary className="mb-2 w-fit cursor-pointer text-sm text-muted">Lines and values by attempt</summary>
        <AttemptTable attempts={report.attempts} />
      </details>
      {silences.length > 0 && (
        <ul className="text-sm text-muted">
          {silences.map(({ number, afterIteration, ms }) => (
            <li key={`${number} ${afterIteration} ${ms}`}>
              Attempt {number} logged nothing for {formatDuration(ms)} after iteration {afterIteration}.
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

type Attempt = IntegrityReport["attempts"][number];

const columns: readonly [title: string, valueOf: (attempt: Attempt) => number | null][] = [
  ["Lines written", ({ numWritten }) => numWritten],
  ["Lines stored", ({ numLines }) => numLines],
  ["Values written", ({ log }) => log?.numPoints ?? null],
  ["Values stored", ({ numPoints }) => numPoints],
  ["Replaced iterations", ({ numSuperseded }) => numSuperseded],
  ["Lines out of order", ({ log }) => log?.numLate ?? null],
  ["Non-finite values", ({ numNonFinite }) => numNonFinite],
];

function AttemptTable({ attempts }: Pick<IntegrityReport, "attempts">) {
  return (
    <RecordTable
      caption="Event-log lines and metric values by attempt, written and stored"
      columns={["Attempt", ...columns.map(([number]) => ({ number }))]}
      rows={attempts.map((attempt) => ({
        key: attempt.number,
        cells: [attempt.number, ...columns.map(([, valueOf]) => valueOf(attempt)?.toLocaleString("en-US") ?? "–")],
      }))}
    />
  );
}
