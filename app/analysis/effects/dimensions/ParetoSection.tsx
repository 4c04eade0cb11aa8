import type { EffectsReport, ParetoMethod } from "#server/domain/analysis/effects/report.ts";
import { partsOf, spreadHead, writeTick } from "#packages/statistics";
import { SvgFigure } from "#app/_charts/SvgFigure.tsx";
import { MethodDot } from "#app/_ui/MethodChip.tsx";
import { Cell, Head, Table } from "#app/_ui/Table.tsx";
import { SpreadText } from "#app/_ui/SpreadText.tsx";
import { paretoDomain, performanceBar, unitOf } from "./prepareDimensions.ts";
import { formatPercent } from "#app/_charts/format.ts";
import { colourIndex, methodColour } from "#server/domain/plan/sweep/methods/colours.ts";
import type { Scales } from "#app/_charts/FigureDrawing.tsx";

type Props = { methods: readonly ParetoMethod[]; title: string; unit: EffectsReport["unit"]; isRate: boolean };

export function ParetoSection({ methods, title, unit, isRate }: Props) {
  const names = methods.map(({ method }) => method);
  const keys = names.map((label) => ({ label, color: methodColour(colourIndex(label, names)) }));
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
          domain: [0, 1.08],
          ticks: [0, 0.25, 0.5, 0.75, 1],
          format: (y) => writeTick(y, unitOf(true)),
        }}
        keys={keys}
        ends={({ y, plot }) =>
          methods.filter(isDrawn).map(({ method, stability }) => {
            const color = methodColour(colourIndex(method, names));
            return { id: method, label: method, color, x: plot.x + plot.width, y: y(stability) };
          })
        }
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
    <div className="min-w-0">
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
      <p className="mt-2 text-xs text-muted">
        In brackets: the share of bootstrap resamples in which the method is on the Pareto front.
      </p>
    </div>
  );
}

type ParetoMarksProps = { methods: readonly ParetoMethod[]; scales: Scales; isRate: boolean };

/** Draws one point with error bars per method; its name is outside of the plot. */
function ParetoMarks({ methods, scales: { x, y }, isRate }: ParetoMarksProps) {
  const names = methods.map(({ method }) => method);
  return methods.filter(isDrawn).map((one) => {
    const { method, performance, stability, stabilityInterval, isOnFront } = one;
    const color = methodColour(colourIndex(method, names));
    const bar = performanceBar(one, isRate);
    const [left, top] = [x(performance), y(stability)];
    return (
      <g key={method} stroke={color}>
        <title>{method}</title>
        {bar && <line x1={x(bar.low)} x2={x(bar.high)} y1={top} y2={top} opacity={0.5} />}
        <line x1={left} x2={left} y1={y(stabilityInterval.low)} y2={y(stabilityInterval.high)} opacity={0.3} />
        {isOnFront && <circle cx={left} cy={top} r={9} fill="none" strokeWidth={1.5} />}
        <circle cx={left} cy={top} r={4.5} fill={color} />
      </g>
    );
  });
}

const isDrawn = ({ performance }: ParetoMethod): boolean => Number.isFinite(performance);
