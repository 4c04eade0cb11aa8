"use client";
import { lowerFirst } from "#packages/base";
import { writeFigure } from "#packages/statistics";
import { pages } from "#server/domain/pages.ts";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "#app/_ui/Link.tsx";
import type { AnswerTo } from "#server/api/publish/answers.ts";
import { describeMetric } from "#trainer/spec/metric.ts";
import { formatCount, formatPercent } from "#app/_charts/format.ts";
import { Analysing, stoppable } from "#app/_components/Analysing.tsx";
import { useDependent } from "#app/_components/sweeps/LeftOutNote.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { buttonClasses } from "#app/_ui/Button.tsx";
import { Card } from "#app/_ui/Card.tsx";
import { Skeleton } from "#app/_ui/Busy.tsx";
import { EmptyState, Notice } from "#app/_ui/Notice.tsx";
import { describeUnstudied } from "../../describeUnstudied.ts";
import { Answered, OfMetric } from "../../Studied.tsx";
import {
  boundEffects,
  factorTitles,
  nameLevel,
  nameLevels,
  prepareShares,
  shortUnit,
  sortEffects,
  unitOf,
  whyNoDesign,
} from "./prepareDimensions.ts";
import { EffectFigure } from "./EffectFigure.tsx";
import { ParetoSection } from "./ParetoSection.tsx";
import type { InteractionGrid } from "#server/domain/analysis/effects/report.ts";
import { Cell, GridTable } from "#app/_ui/Table.tsx";

export function DimensionsView({ sweepIds }: { sweepIds: string[] }) {
  return (
    <OfMetric sweepIds={sweepIds}>
      {(metric, picker) => <EffectsOnMetric sweepIds={sweepIds} metric={metric} picker={picker} />}
    </OfMetric>
  );
}

type Chosen = { sweepIds: string[]; metric: string; picker: ReactNode };

function EffectsOnMetric({ sweepIds, metric, picker }: Chosen) {
  const trpc = useTrpc();
  const input = { sweepIds, metric, ...useDependent() };
  const query = useQuery(trpc.analysis.dimensions.queryOptions(input, stoppable));
  const data = query.error ? undefined : query.data;
  return (
    <div className="space-y-5">
      {data ? data.numRuns > 0 && <Answered answer={data} /> : !query.error && <Skeleton className="h-14" />}
      {picker}
      {data ? (
        <Dimensions data={data} sweepIds={sweepIds} metric={metric} />
      ) : (
        <Analysing name="dimensions" input={input} query={query} className="h-96" />
      )}
    </div>
  );
}

type Props = { data: AnswerTo<"dimensions"> } & Omit<Chosen, "picker">;

function Dimensions({ data, sweepIds, metric }: Props) {
  if (data.numRuns === 0) {
    return (
      <EmptyState title="No finished run with this metric">
        This page compares finished runs whose method is known, by their mean in the final window (the last 10 % of the
        metric’s values, at least 3). For imported runs, enter the method first.
      </EmptyState>
    );
  }
  const { title } = describeMetric(metric);
  const unit = data.unit === "z" ? `${title}, in standard deviations within each environment` : title;
  const short = shortUnit(data.unit, title);
  const isRate = data.unit === "metric" && describeMetric(metric).unit === "fraction";
  return (
    <>
      {data.effects.length > 0 && <SharesCard shares={data.shares} effects={data.effects} />}
      <Effects data={data} unit={unit} short={short} isRate={isRate} />
      <DesignCard data={data} />
      {data.interactions.length > 0 && (
        <details>
          <summary className="mb-2 w-fit cursor-pointer text-sm">
            Interactions of two dimensions: mean{data.unit === "z" && " z"} and number of runs
          </summary>
          <div className="grid gap-3 lg:grid-cols-2">
            {data.interactions.map((grid) => (
              <InteractionTable key={grid.factors.join()} grid={grid} isRate={isRate} />
            ))}
          </div>
        </details>
      )}
      <ParetoSection methods={data.pareto} title={title} unit={data.unit} isRate={isRate} />
      <Neighbours data={data} sweepId={sweepIds[0] ?? ""} />
      <p className="text-xs text-muted">
        {[
          formatCount(data.numRuns, "finished run"),
          data.numLeftOut > 0 &&
            `${formatCount(data.numLeftOut, "run")} left out because the final window has no finite mean`,
          ...describeUnstudied(data),
        ]
          .filter(Boolean)
          .join("; ")}
        .
      </p>
    </>
  );
}

type EffectsProps = { data: AnswerTo<"dimensions">; unit: string; short: string; isRate: boolean };

export function Effects({ data, unit, short, isRate }: EffectsProps) {
  if (data.effects.length === 0) return null;
  return (
    <section aria-label="Effects" className="space-y-3">
      <h2 className="font-semibold">Effects of the dimensions on {lowerFirst(unit)}, mean over the final window</h2>
      {data.aliased.length > 0 && (
        <p className="max-w-4xl text-sm text-muted">
          Not estimated: {data.aliased.map((factor) => factorTitles[factor].toLowerCase()).join(", ")}, because of
          confounding with another dimension in these runs. The effect shown for that other dimension may be due to
          either dimension.
        </p>
      )}
      <div className="grid gap-3 lg:grid-cols-2">
        {boundEffects(sortEffects(data), isRate).map((effect) => (
          <EffectFigure key={effect.factor} effect={effect} unit={short} isRate={isRate} />
        ))}
      </div>
    </section>
  );
}

/** Lists untested combinations near tested ones, and the confounding or interval that runs of them would reduce. */
function Neighbours({ data, sweepId }: { data: AnswerTo<"dimensions">; sweepId: string }) {
  if (data.next.length === 0) return null;
  const isAnyConfounding = data.next.some(({ resolves }) => resolves.length > 0);
  return (
    <Card title="Untested combinations closest to the tested ones">
      <p className="mb-2 max-w-4xl text-sm text-muted">
        {!isAnyConfounding && "No combination would remove any confounding. "}
        {data.next.some(({ narrows }) => narrows) &&
          "The new width of an interval assumes as many seeds as the other combinations have."}
      </p>
      <ul className="space-y-2">
        {data.next.map(({ levels, resolves, narrows }, i) => {
          const point = data.points[i];
          return (
            <li key={nameLevels(levels)} className="flex flex-wrap items-center gap-x-4 gap-y-1">
              <div className="min-w-60 flex-1">
                <p className="font-medium">{nameLevels(levels)}</p>
                <p className="text-xs text-muted">
                  {resolves.length > 0 && `Removes this confounding: ${resolves.join("; ")}. `}
                  {narrows &&
                    `Narrows the interval of the difference between ${nameLevel(narrows.factor, narrows.level)} and ${nameLevel(narrows.factor, narrows.against)} to ${formatPercent(narrows.widthShare)} of its present width.`}
                </p>
              </div>
              {point && (
                <Link
                  className={buttonClasses("plain")}
                  href={`${pages.newSweep}?from=${encodeURIComponent(sweepId)}&point=${encodeURIComponent(JSON.stringify(point))}`}
                >
                  Create sweep
                </Link>
              )}
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

type SharesProps = Pick<AnswerTo<"dimensions">, "shares"> & Partial<Pick<AnswerTo<"dimensions">, "effects">>;

export function SharesCard({ shares, effects = [] }: SharesProps) {
  return (
    <Card title="Sources of variance">
      {shares ? (
        <>
          <ul className="space-y-1.5">
            {prepareShares(shares, effects).map(({ name, share, interval, isNoise, isShown }) => (
              <li
                key={name}
                className="grid grid-cols-[1fr_auto] items-center gap-x-2 text-sm sm:grid-cols-[11rem_1fr_12rem]"
              >
                <span>{name}</span>
                <span className="h-3 rounded-sm bg-sunken max-sm:order-last max-sm:col-span-2">
                  <span
                    className="block h-full rounded-sm"
                    style={{ width: `${100 * share}%`, background: isNoise ? "var(--edge)" : "var(--accent)" }}
                  />
                </span>
                <span className="tabular-nums">
                  {formatPercent(share)}
                  {interval && <span className="text-muted"> ({interval})</span>}
                  {!isShown && <span className="text-muted">, not significant</span>}
                </span>
              </li>
            ))}
          </ul>
          <p className="mt-2 max-w-4xl text-xs text-muted">
            Share of the variance between all runs. Main effects, interactions and the noise of seeds sum to 100 %. Each
            share is averaged over the orders in which dimensions can enter the model; in a balanced design all orders
            agree.
          </p>
        </>
      ) : (
        <p className="text-muted">All runs have the same result: there is no variance to explain.</p>
      )}
    </Card>
  );
}

function DesignCard({ data }: { data: AnswerTo<"dimensions"> }) {
  const { design } = data;
  return (
    <Card title="Design of these runs">
      <ul className="mb-2 space-y-0.5 text-sm">
        {data.levels.map(({ factor, levels }) => (
          <li key={factor}>
            <span className="font-medium">{factorTitles[factor]}</span>:{" "}
            {levels.length === 1 ? (
              <span className="text-muted">{nameLevel(factor, levels[0] ?? "")} in all runs</span>
            ) : (
              levels.map((level) => nameLevel(factor, level)).join(", ")
            )}
          </li>
        ))}
      </ul>
      {data.numSettings > 1 && (
        <div className="mb-2">
          <Notice tone="warn">
            Other settings (sizes, learning rates, budgets) vary too, in up to {data.numSettings} combinations within
            one environment. The effects below include the influence of those settings. The page Claims compares only
            runs with equal values of those settings.
          </Notice>
        </div>
      )}
      {!design && <p className="text-muted">{whyNoDesign(data)}</p>}
      {design && (
        <>
          <p className="text-sm">
            {formatCount(design.numCells, "tested combination")} of levels
            {design.rank === design.numParameters ? ": all main effects can be separated" : ""}.
          </p>
          <details className="mt-1 text-sm text-muted">
            <summary className="w-fit cursor-pointer">Rank of the design</summary>
            {formatCount(design.numParameters, "main-effect parameter")}, rank {design.rank}.{" "}
            {formatCount(design.degreesLeft, "degree")} of freedom remain for interactions.
          </details>
          {design.aliases.length > 0 && (
            <div className="mt-2">
              <Notice tone="warn">
                <ul>
                  {design.aliases.map(({ sentence }) => (
                    <li key={sentence}>{sentence}.</li>
                  ))}
                </ul>
              </Notice>
            </div>
          )}
        </>
      )}
    </Card>
  );
}

/** Heat map of means over the levels of two dimensions. Rows that are not parallel indicate an interaction. */
export function InteractionTable({ grid, isRate }: { grid: InteractionGrid; isRate: boolean }) {
  const [a, b] = grid.factors;
  const means = grid.cells.flat().flatMap((cell) => (cell ? [cell.mean] : []));
  const [low, high] = [Math.min(...means), Math.max(...means)];
  const shade = (mean: number) => (high > low ? Math.round((45 * (mean - low)) / (high - low)) : 0);
  return (
    <GridTable
      caption={`${factorTitles[a]} by ${factorTitles[b]}`}
      corner={`${factorTitles[a]} ╲ ${factorTitles[b]}`}
      columns={grid.columns.map((column) => nameLevel(b, column))}
      rows={grid.rows.map((row, r) => ({
        title: nameLevel(a, row),
        cells: grid.columns.map((column, c) => {
          const cell = grid.cells[r]?.[c];
          return (
            <Cell
              key={column}
              className="py-1 text-right text-sm whitespace-nowrap"
              style={
                cell ? { background: `color-mix(in srgb, var(--accent) ${shade(cell.mean)}%, transparent)` } : undefined
              }
            >
              {cell ? (
                <>
                  {writeFigure(cell.mean, unitOf(isRate))} ({cell.n})
                </>
              ) : (
                <span className="text-muted">not run</span>
              )}
            </Cell>
          );
        }),
      }))}
    />
  );
}
