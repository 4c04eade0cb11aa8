"use client";
import { unitOf } from "#server/domain/runs/table/field.ts";
import { writeFigure, writeTick } from "#packages/statistics";
import { useMemo } from "react";
import { formatCount, formatPercent } from "#app/_charts/format.ts";
import { LazyMount } from "#app/_charts/LazyDrawing.tsx";
import { SvgFigure } from "#app/_charts/SvgFigure.tsx";
import { linearTicks } from "#server/domain/runs/series/ticks.ts";
import type { Looks } from "../_study/looks.ts";
import { isYesOrNo, type Study, type StudyColumn } from "#server/domain/analysis/hyperparameters/prepareStudy.ts";
import { placeColumn, summariseSlice, type SliceSummary } from "./prepareSlice.ts";
import { RunDots } from "./RunDots.tsx";

type Props = { study: Study; looks: Looks; isBrushed: readonly boolean[] };

export function SliceFigures({ study, looks, isBrushed }: Props) {
  const { parameters, outcome } = study;
  if (parameters.length === 0) return null;
  return (
    <section aria-label="Slices">
      <h2 className="mb-1 text-lg font-semibold">One parameter at a time</h2>
      <p className="mb-2 max-w-prose text-sm text-muted">
        Each dot is a run. Lines are{" "}
        {isYesOrNo(outcome.key) ? "shares with Wilson’s 95 % interval" : "medians and quartiles"} at each value, or in
        five bins with equally many runs if the parameter has many values. The other parameters are not held constant.
      </p>
      <div className="grid grid-cols-[repeat(auto-fill,minmax(min(18rem,100%),1fr))] gap-3">
        {parameters.map((column) => (
          <LazyMount key={column.key} height={310}>
            <SliceFigure column={column} outcome={outcome} looks={looks} isBrushed={isBrushed} />
          </LazyMount>
        ))}
      </div>
    </section>
  );
}

type SliceProps = Omit<Props, "study"> & { column: StudyColumn; outcome: StudyColumn };

export function SliceFigure({ column, outcome, looks, isBrushed }: SliceProps) {
  const placed = useMemo(() => placeColumn(column), [column]);
  const bins = useMemo(() => summariseSlice(placed, outcome), [placed, outcome]);
  const ticks = outcomeTicks(outcome);
  return (
    <SvgFigure
      title={column.title}
      x={placed.axis}
      y={{
        label: outcome.title,
        format: (x) => writeTick(x, unitOf(outcome.key)),
        domain: [ticks[0] ?? 0, ticks.at(-1) ?? 1],
        ticks: ticks.filter((tick) => !isYesOrNo(outcome.key) || (tick >= 0 && tick <= 1)),
      }}
      data={[[column.key, outcome.key], ...column.values.map((value, run) => [value ?? "", outcome.values[run] ?? ""])]}
      height={250}
    >
      {({ x, y }) => (
        <>
          <RunDots
            points={{ x: placed, y: { positions: numbersOf(outcome), isStepped: isYesOrNo(outcome.key) } }}
            scales={{ x, y }}
            looks={looks}
            isBrushed={isBrushed}
          />
          {bins.map(({ from, to, middle, low, high, n }) => {
            const [left, right] = from === to ? [x(from) - 14, x(from) + 14] : [x(from), x(to)];
            return (
              <g key={from} stroke="var(--text)">
                <title>{describeBin({ middle, low, high, n }, outcome.key)}</title>
                <line x1={left} x2={right} y1={y(middle)} y2={y(middle)} strokeWidth={2} />
                <line x1={(left + right) / 2} x2={(left + right) / 2} y1={y(low)} y2={y(high)} strokeWidth={1.5} />
              </g>
            );
          })}
        </>
      )}
    </SvgFigure>
  );
}

function describeBin({ middle, low, high, n }: Omit<SliceSummary, "from" | "to">, outcome: string): string {
  const isShare = isYesOrNo(outcome);
  const write = (x: number) => (isShare ? formatPercent(x) : writeFigure(x, unitOf(outcome)));
  const [name, interval] = isShare ? ["share", "95 % interval"] : ["median", "quartiles"];
  return `${name} ${write(middle)}, ${interval} ${write(low)} to ${write(high)}, ${formatCount(n, "run")}`;
}

function outcomeTicks(outcome: StudyColumn): number[] {
  const numbers = outcome.values.filter((value) => typeof value === "number");
  if (numbers.length === 0) return [0, 1];
  // For an outcome of 0 or 1, the axis extends beyond these values, because dots are spread around them.
  if (isYesOrNo(outcome.key)) return [-0.2, 0, 0.2, 0.4, 0.6, 0.8, 1, 1.2];
  return linearTicks(
    numbers.reduce((a, b) => Math.min(a, b)),
    numbers.reduce((a, b) => Math.max(a, b)),
  );
}

function numbersOf({ values }: StudyColumn): (number | null)[] {
  return values.map((value) => (typeof value === "number" ? value : null));
}
