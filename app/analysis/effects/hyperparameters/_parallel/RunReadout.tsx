"use client";
import { runPage } from "#server/domain/pages.ts";
import { Link } from "#app/_ui/Link.tsx";
import { formatValue } from "#app/_charts/format.ts";
import { MethodDot } from "#app/_ui/MethodChip.tsx";
import type { Study } from "#server/domain/analysis/hyperparameters/prepareStudy.ts";

type Props = {
  study: Study;
  /** Runs in the order of stepping, by outcome. */ order: readonly number[];
  lifted: number | undefined;
  onLift: (run: number) => void;
};

/** Name of the highlighted run; arrow keys step through the runs. */
export function RunReadout({ study: { runs, outcome }, order, lifted, onLift }: Props) {
  const run = lifted === undefined ? undefined : runs[lifted];
  const at = lifted === undefined ? -1 : order.indexOf(lifted);
  const value = lifted === undefined ? null : (outcome.values[lifted] ?? null);
  const name = run && `${run.method}${run.label === "" ? "" : ` ${run.label}`} seed ${run.seed}`;
  const said = run && `${name}: ${typeof value === "number" ? formatValue(value) : "no value"}`;
  const step = (to: number) => {
    const next = order[Math.min(order.length - 1, Math.max(0, to))];
    if (next !== undefined) onLift(next);
  };
  return (
    <div className="flex min-h-7 flex-wrap items-center gap-x-3 text-sm">
      <div
        role="slider"
        tabIndex={0}
        aria-label="Run, by result"
        aria-valuemin={0}
        aria-valuemax={Math.max(0, order.length - 1)}
        aria-valuenow={Math.max(0, at)}
        aria-valuetext={said ?? "none highlighted"}
        className="rounded px-1 text-muted"
        onKeyDown={(event) => {
          const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
          if (by === undefined) return;
          event.preventDefault();
          step(at < 0 ? (by > 0 ? 0 : order.length - 1) : at + by);
        }}
      >
        {run ? (
          <span className="text-text">
            <MethodDot name={run.method} names={[]} />
            <span className="font-medium">{name}</span>, {outcome.title.toLowerCase()}{" "}
            {typeof value === "number" ? formatValue(value) : "none"}
            {run.hindsight !== null && `, ${run.hindsight}`}
          </span>
        ) : (
          "Hover over a line, or step through the runs with ← →"
        )}
      </div>
      {run && (
        <Link href={runPage(run.id)} className="text-accent hover:underline">
          Open the run
        </Link>
      )}
    </div>
  );
}
