import type { ShownArm } from "#server/api/plan/searches.ts";
import type { Front } from "#server/domain/plan/search/front.ts";
import type { Objective } from "#server/domain/plan/search/objective.ts";
import { formatPercent } from "#app/_charts/format.ts";
import { SvgFigure } from "#app/_charts/SvgFigure.tsx";
import { fitDomain } from "#app/_charts/axes.ts";
import { titleOf } from "./titleOf.ts";

type Props = { arm: ShownArm; front: Front; objectives: readonly Objective[] };

/** Trials by their first two objectives, filled if on the Pareto front, with the hypervolume of the front. */
export function FrontPlot({ arm, front, objectives }: Props) {
  const points = prepareFront(arm, front);
  const [first, second] = objectives;
  if (points.length < 2 || !first || !second) return null;
  const share = front.shares.at(-1)?.share;
  const covered =
    share === undefined ? "." : `; they cover ${formatPercent(share)} of the space between best and worst.`;
  return (
    <SvgFigure
      title={`${titleOf(first)} and ${titleOf(second).toLowerCase()} of the trials of ${arm.name}`}
      caption={`Filled: no other trial is better in all objectives (${front.numbers.join(", ")})${covered}`}
      x={{ label: titleOf(first), domain: fitDomain(points.map(({ x }) => x)) }}
      y={{ label: titleOf(second), domain: fitDomain(points.map(({ y }) => y)) }}
      data={[
        ["trial", titleOf(first), titleOf(second), "on_front"],
        ...points.map(({ number, x, y, isBest }) => [number, x, y, String(isBest)]),
      ]}
    >
      {(scales) =>
        points.map(({ number, x, y, isBest }) => (
          <circle
            key={number}
            cx={scales.x(x)}
            cy={scales.y(y)}
            r={isBest ? 5 : 3}
            fill={isBest ? "var(--text)" : "var(--surface)"}
            stroke="var(--text)"
          >
            <title>{`trial ${number}`}</title>
          </circle>
        ))
      }
    </SvgFigure>
  );
}

type FrontPoint = { number: number; x: number; y: number; isBest: boolean };

/** Trials with values for both of the first two objectives. */
export function prepareFront({ trials }: Pick<ShownArm, "trials">, { numbers }: Pick<Front, "numbers">): FrontPoint[] {
  return trials.flatMap(({ number, values }) => {
    const [x = null, y = null] = values;
    return x === null || y === null ? [] : [{ number, x, y, isBest: numbers.includes(number) }];
  });
}
