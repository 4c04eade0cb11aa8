import type { SearchReport, ShownArm } from "#server/api/plan/searches.ts";
import { WideDrawing } from "./WideDrawing.tsx";
import { titleOf } from "./titleOf.ts";
import { prepareBest } from "./prepareSearch.ts";

type Props = { arm: ShownArm; objective: SearchReport["objective"] };

const [width, height, left, bottom, top] = [640, 160, 48, 24, 8];

/** Result of each trial by its number, filled if fully trained; the line is the best so far. */
export function BestSoFar({ arm, objective }: Props) {
  const points = prepareBest(arm, objective.goal);
  if (points.length < 2) return null;
  const values = points.map(({ value }) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const last = Math.max(...points.map(({ number }) => number));
  const toX = (number: number) => left + 8 + (number / last) * (width - left - 16);
  const toY = (value: number) =>
    height - bottom - 4 - ((value - low) / (high - low || 1)) * (height - bottom - top - 8);
  const led = points.filter(({ best }) => !Number.isNaN(best));
  const line = led.map(({ number, best }, i) =>
    i === 0 ? `M${toX(number)} ${toY(best)}` : `H${toX(number)}V${toY(best)}`,
  );
  const digits = (value: number) => String(Number(value.toPrecision(3)));
  return (
    <figure>
      <WideDrawing
        label={`${titleOf(objective)} of each trial of ${arm.name} and the best so far`}
        size={[width, height]}
      >
        <path d={`M${left} ${top}V${height - bottom}H${width}`} fill="none" className="stroke-line" />
        {[low, high].map((value) => (
          <text key={value} x={left - 4} y={toY(value) + 4} textAnchor="end" className="fill-muted">
            {digits(value)}
          </text>
        ))}
        {[0, last].map((number) => (
          <text key={number} x={toX(number)} y={height - 6} textAnchor="middle" className="fill-muted">
            {number}
          </text>
        ))}
        <path d={line.join("")} fill="none" strokeWidth={2} className="stroke-current" />
        {points.map(({ number, value, isWhole }) => (
          <circle
            key={number}
            cx={toX(number)}
            cy={toY(value)}
            r={3}
            className={isWhole ? "fill-current stroke-current" : "fill-surface stroke-current"}
          />
        ))}
      </WideDrawing>
      <figcaption className="text-xs text-muted">
        {`${titleOf(objective)} by trial; filled: full budget; line: the best of those so far.`}
      </figcaption>
    </figure>
  );
}
