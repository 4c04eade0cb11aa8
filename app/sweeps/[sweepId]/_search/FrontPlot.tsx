import type { ShownArm } from "#server/api/plan/searches.ts";
import type { Front } from "#server/domain/plan/search/front.ts";
import type { Objective } from "#server/domain/plan/search/objective.ts";
import { formatPercent } from "#app/_charts/format.ts";
import { WideDrawing } from "./WideDrawing.tsx";
import { titleOf } from "./titleOf.ts";
import { prepareFront } from "./prepareFront.ts";

type Props = { arm: ShownArm; front: Front; objectives: readonly Objective[] };

const [width, height, left, bottom, top] = [640, 240, 56, 40, 8];

/** Trials by their first two objectives, filled if on the Pareto front, with the hypervolume of the front. */
export function FrontPlot({ arm, front, objectives }: Props) {
  const points = prepareFront(arm, front);
  const [first, second] = objectives;
  if (points.length < 2 || !first || !second) return null;
  const toX = makeScale(
    points.map(({ x }) => x),
    { from: left + 8, to: width - 8 },
  );
  const toY = makeScale(
    points.map(({ y }) => y),
    { from: height - bottom - 8, to: top + 8 },
  );
  const share = front.shares.at(-1)?.share;
  return (
    <figure>
      <WideDrawing
        label={`${titleOf(first)} and ${titleOf(second).toLowerCase()} of the trials of ${arm.name}`}
        size={[width, height]}
      >
        <path d={`M${left} ${top}V${height - bottom}H${width}`} fill="none" className="stroke-line" />
        {toX.ends.map((value) => (
          <text key={value} x={toX.at(value)} y={height - bottom + 16} textAnchor="middle" className="fill-muted">
            {Number(value.toPrecision(3))}
          </text>
        ))}
        <text x={(left + width) / 2} y={height - 4} textAnchor="middle" className="fill-muted">
          {titleOf(first)}
        </text>
        {toY.ends.map((value) => (
          <text key={value} x={left - 4} y={toY.at(value) + 4} textAnchor="end" className="fill-muted">
            {Number(value.toPrecision(3))}
          </text>
        ))}
        {points.map(({ number, x, y, isBest }) => (
          <circle
            key={number}
            cx={toX.at(x)}
            cy={toY.at(y)}
            r={isBest ? 5 : 3}
            className={isBest ? "fill-current stroke-current" : "fill-surface stroke-current"}
          >
            <title>{`trial ${number}`}</title>
          </circle>
        ))}
      </WideDrawing>
      <figcaption className="text-xs text-muted">
        {`Upwards: ${titleOf(second).toLowerCase()}. Filled: no other trial is better in all objectives (${front.numbers.join(", ")})`}
        {share === undefined ? "." : `; they cover ${formatPercent(share)} of the space between best and worst.`}
      </figcaption>
    </figure>
  );
}

function makeScale(values: readonly number[], { from, to }: { from: number; to: number }) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const at = (value: number) => (high === low ? (from + to) / 2 : from + ((value - low) / (high - low)) * (to - from));
  return { ends: high === low ? [low] : [low, high], at };
}
