import type { ParetoMethod } from "#server/domain/effects/report.ts";
import { colourIndex } from "#server/domain/sweep/colours.ts";
import type { Scales } from "#app/_charts/FigureDrawing.tsx";
import { methodColour } from "#app/_ui/methodColour.ts";
import { performanceBar } from "./prepareDimensions.ts";
import { placeNames } from "./placeNames.ts";

type Props = { methods: readonly ParetoMethod[]; scales: Scales; isRate: boolean };

/** One point per method with its error bars and its name, on the page and in the file; no legend is needed. */
export function ParetoMarks({ methods, scales: { x, y, plot }, isRate }: Props) {
  const names = methods.map(({ method }) => method);
  const drawn = methods.filter(({ performance }) => Number.isFinite(performance));
  const points = drawn.map((one) => ({
    ...one,
    bar: performanceBar(one, isRate),
    x: x(one.performance),
    y: y(one.stability),
  }));
  const labels = placeNames(
    points.map((point) => ({ name: point.method, x: point.x, y: point.y })),
    { left: plot.x, right: plot.x + plot.width, top: plot.y, bottom: plot.y + plot.height },
  );
  return points.map(({ method, bar, stabilityInterval, isOnFront, x: left, y: top }, i) => {
    const color = methodColour(colourIndex(method, names));
    const label = labels[i];
    return (
      <g key={method} stroke={color}>
        <title>{method}</title>
        {bar && <line x1={x(bar.low)} x2={x(bar.high)} y1={top} y2={top} opacity={0.5} />}
        <line x1={left} x2={left} y1={y(stabilityInterval.low)} y2={y(stabilityInterval.high)} opacity={0.3} />
        {isOnFront && <circle cx={left} cy={top} r={9} fill="none" strokeWidth={1.5} />}
        <circle cx={left} cy={top} r={4.5} fill={color} />
        {label?.isAway && (
          <>
            <line x1={left} y1={top} x2={label.x} y2={label.lineY} opacity={0.6} strokeWidth={0.8} />
            <circle cx={label.left} cy={label.y - 4.5} r={3} fill={color} />
          </>
        )}
        {label && (
          <text x={label.x} y={label.y} textAnchor="middle" stroke="none" fill="var(--text)">
            {method}
          </text>
        )}
      </g>
    );
  });
}
