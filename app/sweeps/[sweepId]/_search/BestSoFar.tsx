import type { SearchReport, ShownArm } from "#server/api/plan/searches.ts";
import { iterationTicks } from "#server/domain/runs/series/ticks.ts";
import { SvgFigure } from "#app/_charts/SvgFigure.tsx";
import { fitDomain } from "#app/_charts/axes.ts";
import { titleOf } from "./titleOf.ts";
import { prepareBest } from "./prepareSearch.ts";

type Props = { arm: ShownArm; objective: SearchReport["objective"] };

/** Result of each trial by its number, filled if fully trained; the line is the best so far. */
export function BestSoFar({ arm, objective }: Props) {
  const points = prepareBest(arm, objective.goal);
  if (points.length < 2) return null;
  const last = Math.max(...points.map(({ number }) => number));
  const led = points.filter(({ best }) => !Number.isNaN(best));
  return (
    <SvgFigure
      title={`Trials of ${arm.name} and the best so far`}
      caption="Filled: full budget. Line: the best of those so far."
      x={{ label: "Trial", domain: [0, last], ticks: iterationTicks(0, last) }}
      y={{ label: titleOf(objective), domain: fitDomain(points.map(({ value }) => value)) }}
      data={[
        ["trial", "value", "best", "full_budget"],
        ...points.map(({ number, value, best, isWhole }) => [
          number,
          value,
          Number.isNaN(best) ? "" : best,
          String(isWhole),
        ]),
      ]}
      height={220}
    >
      {({ x, y, Curve }) => (
        <>
          <Curve
            type="stepAfter"
            points={led.map(({ number, best }) => ({ x: x(number), y: y(best) }))}
            fill="none"
            stroke="var(--text)"
            strokeWidth={2}
          />
          {points.map(({ number, value, isWhole }) => (
            <circle
              key={number}
              cx={x(number)}
              cy={y(value)}
              r={3}
              fill={isWhole ? "var(--text)" : "var(--surface)"}
              stroke="var(--text)"
            />
          ))}
        </>
      )}
    </SvgFigure>
  );
}
