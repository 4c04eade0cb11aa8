import { pages } from "#server/domain/pages.ts";
import { Link } from "#app/_ui/Link.tsx";
import type { PhasesAnswer } from "#server/api/analysis/phases.ts";
import type { PhaseStudy } from "#server/domain/analysis/phases/diagram.ts";
import type { NextCell } from "#server/domain/analysis/phases/nextCells.ts";
import type { PlannedCell } from "#server/domain/analysis/phases/planNext.ts";
import { formatCount, formatPercent } from "#app/_charts/format.ts";
import { buttonClasses } from "#app/_ui/Button.tsx";
import { Card } from "#app/_ui/Card.tsx";
import { nameValue } from "./preparePhases.ts";

type Props = { study: PhaseStudy; sweepId: string; axes: PhasesAnswer["taken"] };

/** For each diagram, the cells whose runs would narrow its boundary most; a click starts a sweep of them. */
export function NextCells({ study, sweepId, axes }: Props) {
  const next = study.diagrams.filter(({ next: cells }) => cells.length > 0);
  if (next.length === 0) return null;
  return (
    <Card title="Most informative next cells">
      <ul className="space-y-2">
        {next.flatMap(({ group, next: cells }) =>
          cells.map((cell) => (
            <li key={`${group} ${cell.x} ${cell.y}`} className="flex flex-wrap items-center gap-x-4 gap-y-1">
              <div className="min-w-60 flex-1">
                <p className="font-medium">
                  {group !== "" && `${group}: `}
                  {study.x.title} {nameValue(study.x, cell.x)}, {study.y.title} {nameValue(study.y, cell.y)}
                </p>
                <p className="text-xs text-muted">
                  {formatCount(cell.numSeeds, cell.isRun ? "more seed" : "seed")}; predicted to collapse in{" "}
                  {formatPercent(cell.chance)}; would reduce the variance of the predicted chance by{" "}
                  {formatPercent(cell.gain)}, on average over the diagram.
                </p>
              </div>
              {axes && (
                <Link
                  className={buttonClasses("plain")}
                  href={`${pages.newSweep}?from=${encodeURIComponent(sweepId)}&cell=${encodeURIComponent(JSON.stringify(toPlanned(cell, axes, group)))}`}
                >
                  Create sweep
                </Link>
              )}
            </li>
          )),
        )}
      </ul>
    </Card>
  );
}

function toPlanned(cell: NextCell, axes: NonNullable<Props["axes"]>, group: string): PlannedCell {
  const isMethod = (key: string) => key === "method";
  const values = [
    [axes.x, cell.x],
    [axes.y, cell.y],
    ...(axes.by === null || isMethod(axes.by) ? [] : [[axes.by, group] as const]),
  ] as const;
  const method = axes.by !== null && isMethod(axes.by) ? group : values.find(([key]) => isMethod(key))?.[1];
  return {
    ...(method !== undefined && { method: String(method) }),
    settings: Object.fromEntries(values.filter(([key]) => !isMethod(key))),
    ...(cell.isRun && { newSeeds: cell.numSeeds }),
  };
}
