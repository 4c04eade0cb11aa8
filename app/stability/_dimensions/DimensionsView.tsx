"use client";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { DimensionsAnswer } from "#server/api/dimensions.ts";
import type { ParetoMethod } from "#server/domain/dimensions/report.ts";
import { colourIndex } from "#server/domain/sweep/colours.ts";
import { describeMetric } from "#trainer/spec/metric.ts";
import { SvgFigure } from "#app/_charts/SvgFigure.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { buttonClasses } from "#app/_ui/Button.tsx";
import { Card } from "#app/_ui/Card.tsx";
import { EmptyState } from "#app/_ui/EmptyState.tsx";
import { methodColour } from "#app/_ui/methodColour.ts";
import { Notice } from "#app/_ui/Notice.tsx";
import { Skeleton } from "#app/_ui/Skeleton.tsx";
import { Cell, HeadCell, Table } from "#app/_ui/Table.tsx";
import { factorTitles, nameLevels, prepareShares } from "./prepareDimensions.ts";
import { EffectFigure } from "./EffectFigure.tsx";
import { InteractionTable } from "./InteractionTable.tsx";

/** What each of the four dimensions does to a metric in these runs; what the design can tell comes first. */
export function DimensionsView({ sweepIds, metric }: { sweepIds: string[]; metric: string }) {
  const trpc = useTrpc();
  const { data, error } = useQuery(trpc.stability.dimensions.queryOptions({ sweepIds, metric }));
  if (error) return <Notice tone="bad">{errorWords(error)}</Notice>;
  if (!data) return <Skeleton className="h-96" />;
  if (data.numRuns === 0) {
    return (
      <EmptyState title="No finished run with this metric">
        The dimensions are compared on the final window of finished runs of the built-in trainer.
      </EmptyState>
    );
  }
  return <Dimensions data={data} sweepIds={sweepIds} metric={metric} />;
}

type Props = { data: DimensionsAnswer; sweepIds: string[]; metric: string };

function Dimensions({ data, sweepIds, metric }: Props) {
  const { title } = describeMetric(metric);
  const unit = data.unit === "z" ? `${title}, in standard deviations within each environment` : title;
  return (
    <div className="space-y-5">
      <DesignCard data={data} />
      {data.effects.length > 0 && (
        <section aria-label="Effects" className="space-y-3">
          <h2 className="font-semibold">Effects on {unit}, final window</h2>
          {data.aliased.length > 0 && (
            <p className="max-w-prose text-sm text-muted">
              Left out: {data.aliased.map((factor) => factorTitles[factor].toLowerCase()).join(", ")}, which in these
              runs only changes together with another dimension. Effects of that one are effects of both.
            </p>
          )}
          <div className="grid grid-cols-[repeat(auto-fit,minmax(min(24rem,100%),1fr))] gap-3">
            {data.effects.map((effect) => (
              <EffectFigure key={effect.factor} effect={effect} unit={unit} />
            ))}
          </div>
        </section>
      )}
      {data.shares && (
        <Card title="Where the variance comes from">
          <ul className="space-y-1.5">
            {prepareShares(data.shares).map(({ name, share, interval, isNoise }) => (
              <li key={name} className="grid grid-cols-[11rem_1fr_9rem] items-center gap-2 text-sm">
                <span>{name}</span>
                <span className="h-3 rounded-sm bg-sunken">
                  <span
                    className="block h-full rounded-sm"
                    style={{ width: `${100 * share}%`, background: isNoise ? "var(--edge)" : "var(--series-1)" }}
                  />
                </span>
                <span className="tabular-nums">
                  {(100 * share).toFixed(0)} %{interval && <span className="text-muted"> ({interval})</span>}
                </span>
              </li>
            ))}
          </ul>
          <p className="mt-2 max-w-prose text-xs text-muted">
            Shares of the variance between all runs; with what the main effects leave out and the noise of seeds they
            sum to 100 %. Averaged over the orders in which dimensions enter, since the design is not balanced.
          </p>
        </Card>
      )}
      {data.interactions.length > 0 && (
        <section aria-label="Interactions">
          <h2 className="mb-2 font-semibold">Interactions: mean (runs) by two dimensions</h2>
          <div className="grid gap-3 lg:grid-cols-2">
            {data.interactions.map((grid) => (
              <InteractionTable key={grid.factors.join()} grid={grid} />
            ))}
          </div>
        </section>
      )}
      <Pareto methods={data.pareto} unit={title} />
      {data.next.length > 0 && (
        <Card title="Nearest untested neighbours">
          <ul className="space-y-2">
            {data.next.map(({ levels, resolves, narrows }, i) => {
              const point = data.points[i];
              return (
                <li key={nameLevels(levels)} className="flex flex-wrap items-center gap-x-4 gap-y-1">
                  <div className="min-w-60 flex-1">
                    <p className="font-medium">{nameLevels(levels)}</p>
                    <p className="text-xs text-muted">
                      {resolves.length > 0 ? `Would tell: ${resolves.join("; ")}.` : "Breaks no alias."}{" "}
                      {narrows &&
                        `Narrows ${narrows.factor} ${narrows.level} against ${narrows.against} to ${(100 * narrows.widthShare).toFixed(0)} % of its width, with as many seeds as the others.`}
                    </p>
                  </div>
                  {point && (
                    <Link
                      className={buttonClasses("plain")}
                      href={`/sweeps/new?from=${encodeURIComponent(sweepIds[0] ?? "")}&point=${encodeURIComponent(JSON.stringify(point))}`}
                    >
                      Make it a sweep
                    </Link>
                  )}
                </li>
              );
            })}
          </ul>
        </Card>
      )}
      <p className="text-xs text-muted">
        {data.numRuns} finished runs
        {data.numLeftOut > 0 && `; ${data.numLeftOut} without a finite final window left out`}
        {data.numOpen > 0 && `; ${data.numOpen} not over`}
        {data.numForeign > 0 && `; ${data.numForeign} of other trainers, whose dimensions are not known`}.
      </p>
    </div>
  );
}

function DesignCard({ data }: { data: DimensionsAnswer }) {
  const { design } = data;
  return (
    <Card title="What these runs can tell">
      <ul className="mb-2 space-y-0.5 text-sm">
        {data.levels.map(({ factor, levels }) => (
          <li key={factor}>
            <span className="font-medium">{factorTitles[factor]}</span>:{" "}
            {levels.length === 1 ? <span className="text-muted">{levels[0]} in all runs</span> : levels.join(", ")}
          </li>
        ))}
      </ul>
      {!design && <p className="text-muted">No dimension varies here: there is nothing to compare.</p>}
      {design && (
        <>
          <p className="text-sm">
            {design.numCells} different cells, {design.numParameters} parameters of main effects, rank {design.rank}
            {design.rank === design.numParameters ? ": every main effect can be told from the others" : ""};{" "}
            {design.degreesLeft} degrees left for interactions.
          </p>
          {design.aliases.length > 0 && (
            <Notice tone="warn">
              <ul>
                {design.aliases.map(({ sentence }) => (
                  <li key={sentence}>{sentence}.</li>
                ))}
              </ul>
            </Notice>
          )}
        </>
      )}
    </Card>
  );
}

function Pareto({ methods, unit }: { methods: readonly ParetoMethod[]; unit: string }) {
  const names = methods.map(({ method }) => method);
  const finite = methods.map(({ performance }) => performance).filter(Number.isFinite);
  const low = Math.min(0, ...finite);
  const high = Math.max(...finite, low + 1e-6);
  return (
    <section aria-label="Performance against stability" className="grid items-start gap-3 xl:grid-cols-2">
      <SvgFigure
        title="Performance against stability"
        caption="Ringed: on the Pareto front. Bars: ± std over runs, and Wilson's 95 % interval."
        x={{ label: `${unit}, final window`, domain: [low, high * 1.05] }}
        y={{ label: "1 − collapse rate", domain: [0, 1.02], ticks: [0, 0.25, 0.5, 0.75, 1] }}
        data={[
          ["method", "n", "performance", "std", "stability", "on_front", "p_on_front"],
          ...methods.map((one) => [
            one.method,
            one.n,
            one.performance,
            one.spread,
            one.stability,
            String(one.isOnFront),
            one.probability,
          ]),
        ]}
      >
        {({ x, y }) =>
          methods.map(({ method, performance, spread, stability, stabilityInterval, isOnFront }) => {
            const color = methodColour(colourIndex(method, names));
            return (
              <g key={method} stroke={color}>
                <title>{method}</title>
                {spread > 0 && (
                  <line
                    x1={x(performance - spread)}
                    x2={x(performance + spread)}
                    y1={y(stability)}
                    y2={y(stability)}
                    opacity={0.5}
                  />
                )}
                <line
                  x1={x(performance)}
                  x2={x(performance)}
                  y1={y(stabilityInterval.low)}
                  y2={y(stabilityInterval.high)}
                  opacity={0.3}
                />
                {isOnFront && <circle cx={x(performance)} cy={y(stability)} r={9} fill="none" strokeWidth={1.5} />}
                <circle cx={x(performance)} cy={y(stability)} r={4.5} fill={color} />
              </g>
            );
          })
        }
      </SvgFigure>
      <Table caption="Methods by performance and stability">
        <thead>
          <tr>
            <HeadCell>Method</HeadCell>
            <HeadCell className="text-right">n</HeadCell>
            <HeadCell className="text-right">Performance</HeadCell>
            <HeadCell className="text-right">1 − collapse rate</HeadCell>
            <HeadCell className="text-right">On the front</HeadCell>
          </tr>
        </thead>
        <tbody>
          {methods
            .toSorted((a, b) => b.performance - a.performance)
            .map(({ method, n, performance, spread, stability, isOnFront, probability }) => (
              <tr key={method}>
                <Cell className="py-1 whitespace-nowrap">
                  <span
                    aria-hidden="true"
                    className="mr-2 inline-block size-2.5 rounded-full"
                    style={{ background: methodColour(colourIndex(method, names)) }}
                  />
                  {method}
                </Cell>
                <Cell className="py-1 text-right">{n}</Cell>
                <Cell className="py-1 text-right whitespace-nowrap">
                  {performance.toPrecision(3)}
                  {Number.isFinite(spread) && <span className="text-muted"> ± {spread.toPrecision(2)}</span>}
                </Cell>
                <Cell className="py-1 text-right">{stability.toFixed(2)}</Cell>
                <Cell className="py-1 text-right whitespace-nowrap">
                  {isOnFront ? "yes" : "no"} <span className="text-muted">({(100 * probability).toFixed(0)} %)</span>
                </Cell>
              </tr>
            ))}
        </tbody>
      </Table>
    </section>
  );
}
