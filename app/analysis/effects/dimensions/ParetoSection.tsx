import type { EffectsReport, ParetoMethod } from "#server/domain/analysis/effects/report.ts";
import { partsOf, spreadHead, writeTick } from "#packages/statistics";
import { SvgFigure } from "#app/_charts/SvgFigure.tsx";
import { MethodDot } from "#app/_ui/MethodChip.tsx";
import { Cell, Head, Table } from "#app/_ui/Table.tsx";
import { SpreadText } from "#app/_ui/SpreadText.tsx";
import { paretoDomain, performanceBar, unitOf } from "./prepareDimensions.ts";
import { formatPercent } from "#app/_charts/format.ts";
import { colourIndex } from "#server/domain/plan/sweep/methods/colours.ts";
import type { Scales } from "#app/_charts/FigureDrawing.tsx";
import { methodColour } from "#app/_ui/methodColour.ts";

type Props = { methods: readonly ParetoMethod[]; title: string; unit: EffectsReport["unit"]; isRate: boolean };

export function ParetoSection({ methods, title, unit, isRate }: Props) {
  const performanceTitle = unit === "z" ? `${title}, final window (z)` : `${title}, final window`;
  return (
    <section aria-label="Performance against stability" className="grid items-start gap-3 xl:grid-cols-2">
      <SvgFigure
        title="Performance against stability"
        caption={`Ringed methods are on the Pareto front. ${methods.some(({ interval }) => interval) ? "Horizontal bars: 95 % CI (t) over runs. " : ""}Vertical bars: Wilson's 95 % interval.${unit === "z" ? " z: standard deviations within each environment." : ""}`}
        x={{
          label: performanceTitle,
          domain: paretoDomain(methods, { unit, isRate }),
          format: (x) => writeTick(x, unitOf(isRate)),
        }}
        y={{
          label: "Runs without collapse",
          domain: [0, 1.18],
          ticks: [0, 0.25, 0.5, 0.75, 1],
          format: (y) => writeTick(y, unitOf(true)),
        }}
        data={[
          [
            "method",
            "n",
            unit === "z" ? "performance_z" : "performance",
            "ci_lo",
            "ci_hi",
            "stability",
            "on_front",
            "p_on_front",
          ],
          ...methods.map((one) => [
            one.method,
            one.n,
            one.performance,
            performanceBar(one, isRate)?.low ?? "",
            performanceBar(one, isRate)?.high ?? "",
            one.stability,
            String(one.isOnFront),
            one.probability,
          ]),
        ]}
      >
        {(scales) => <ParetoMarks methods={methods} scales={scales} isRate={isRate} />}
      </SvgFigure>
      <ParetoTable {...{ methods, unit, isRate }} />
    </section>
  );
}

function ParetoTable({ methods, unit, isRate }: Omit<Props, "title">) {
  const names = methods.map(({ method }) => method);
  return (
    <Table caption="Methods by performance and stability">
      <Head
        cells={[
          "Method",
          { number: "n" },
          { number: `Performance${unit === "z" ? " (z)" : ""}, ${spreadHead}` },
          { number: "Without collapse" },
          { number: "Pareto-optimal" },
        ]}
      />
      <tbody>
        {methods
          .toSorted((a, b) => b.performance - a.performance)
          .map((one) => ({ ...one, bar: performanceBar(one, isRate) }))
          .map(({ method, n, performance, bar, stability, isOnFront, probability }) => (
            <tr key={method}>
              <Cell className="py-1 whitespace-nowrap">
                <MethodDot name={method} names={names} />
                {method}
              </Cell>
              <Cell className="py-1 text-right">{n}</Cell>
              <Cell className="py-1 text-right whitespace-nowrap">
                <SpreadText parts={partsOf({ mean: performance, interval: bar ?? null }, unitOf(isRate))} />
              </Cell>
              <Cell className="py-1 text-right">{formatPercent(stability)}</Cell>
              <Cell className="py-1 text-right whitespace-nowrap">
                {isOnFront ? "yes" : "no"} <span className="text-muted">({formatPercent(probability)})</span>
              </Cell>
            </tr>
          ))}
      </tbody>
    </Table>
  );
}

type ParetoMarksProps = { methods: readonly ParetoMethod[]; scales: Scales; isRate: boolean };

/** Draws one named point with error bars per method, on screen and in exported files, so that no legend is needed. */
function ParetoMarks({ methods, scales: { x, y, plot }, isRate }: ParetoMarksProps) {
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

type Point = { name: string; x: number; y: number };
type Box = { left: number; right: number; top: number; bottom: number };
/** Position of a point's label: its middle and left end. `isAway`: a leader line from the point ends at `lineY`. */
type Place = { x: number; y: number; left: number; lineY: number; isAway: boolean };

const height = 14;
/** Width in pixels of a capital letter at the labels' font size (12). */
const letter = 7.6;
const radius = 8;
/** Width in pixels reserved for a coloured dot before a label that is not next to its point. */
const gap = 10;

/** Places labels so that none covers a label or point: above or below, then farther; if none is free, above. */
export function placeNames(points: readonly Point[], frame: Box): Place[] {
  const taken: Box[] = points.map(({ x, y }) => boxAround(x, y, { halfWidth: radius, halfHeight: radius }));
  const positions = new Map<Point, Place>();
  for (const point of points.toSorted((a, b) => a.x - b.x)) {
    const halfWidth = (point.name.length * letter + gap) / 2;
    const x = Math.min(Math.max(point.x, frame.left + halfWidth), frame.right - halfWidth);
    const rows = offsets.map((dy) => boxAround(x, point.y + dy, { halfWidth, halfHeight: height / 2 }));
    const isFree = (box: Box) =>
      box.top >= frame.top && box.bottom <= frame.bottom && !taken.some((other) => overlap(box, other));
    const found = rows.findIndex(isFree);
    const [dy, box] = [offsets[found] ?? -nearest, rows[found] ?? rows[0]];
    if (box) taken.push(box);
    const middle = point.y + dy;
    positions.set(point, {
      x,
      y: middle + 0.35 * height,
      left: x - halfWidth,
      lineY: middle - (Math.sign(dy) * height) / 2,
      isAway: Math.abs(dy) > nearest,
    });
  }
  return points.flatMap((point) => positions.get(point) ?? []);
}

const nearest = 18;
/** Vertical distances of a label's middle from its point, in the order of trial: −18, 18, −33, 33, … */
const offsets = Array.from({ length: 24 }, (_, i) => (i % 2 === 0 ? -1 : 1) * (nearest + 15 * Math.floor(i / 2)));

function boxAround(x: number, y: number, { halfWidth, halfHeight }: { halfWidth: number; halfHeight: number }): Box {
  return { left: x - halfWidth, right: x + halfWidth, top: y - halfHeight, bottom: y + halfHeight };
}

function overlap(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
