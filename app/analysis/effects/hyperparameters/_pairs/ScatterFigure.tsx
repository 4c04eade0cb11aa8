"use client";
import { useMemo } from "react";
import { SvgFigure } from "#app/_charts/SvgFigure.tsx";
import { RunDots } from "../_slices/RunDots.tsx";
import { placeColumn, type Positions } from "../_slices/prepareSlice.ts";
import type { Looks } from "../_study/looks.ts";
import type { StudyColumn } from "#server/domain/analysis/hyperparameters/prepareStudy.ts";
import type { FigureAxis } from "#app/_charts/axes.ts";

type Props = { across: StudyColumn; up: StudyColumn; looks: Looks; isBrushed: readonly boolean[] };

/** Scatter plot of runs over any two columns, with histograms along the far edges. */
export function ScatterFigure({ across, up, looks, isBrushed }: Props) {
  const [x, y] = useMemo(() => [placeColumn(across), placeColumn(up)], [across, up]);
  return (
    <SvgFigure
      title={`${up.title} over ${across.title}`}
      caption="Bars: histograms of all runs. Dots outside the selection are faint."
      x={{ ...x.axis, domain: makeRoom(x.axis) }}
      y={{ ...y.axis, domain: makeRoom(y.axis) }}
      data={[[across.key, up.key], ...across.values.map((value, run) => [value ?? "", up.values[run] ?? ""])]}
      height={380}
    >
      {(scales) => (
        <>
          <Histogram of={x} scale={scales.x} edge={scales.plot.y} direction="down" />
          <Histogram of={y} scale={scales.y} edge={scales.plot.x + scales.plot.width} direction="left" />
          <RunDots points={{ x, y }} scales={scales} looks={looks} isBrushed={isBrushed} />
        </>
      )}
    </SvgFigure>
  );
}

const longestBar = 34;

type HistogramProps = { of: Positions; scale: (value: number) => number; edge: number; direction: "down" | "left" };

/** Histogram along an edge of the plot, growing inwards. */
function Histogram({ of, scale, edge, direction }: HistogramProps) {
  const bins = countBins(of);
  const most = Math.max(1, ...bins.map(({ count }) => count));
  return bins.map(({ from, to, count }) => {
    const [start, end] = [Math.min(scale(from), scale(to)), Math.max(scale(from), scale(to))];
    const length = (longestBar * count) / most;
    const box =
      direction === "down"
        ? { x: start + 0.5, y: edge, width: Math.max(1, end - start - 1), height: length }
        : { x: edge - length, y: start + 0.5, width: length, height: Math.max(1, end - start - 1) };
    return (
      <rect key={from} {...box} fill="var(--edge)">
        <title>{`${count} runs`}</title>
      </rect>
    );
  });
}

const numBins = 20;

/** Counts the runs in each of twenty bins of an axis, or at each of its steps. */
function countBins({ axis, positions, isStepped }: Positions): { from: number; to: number; count: number }[] {
  const { domain, scale = "linear" } = axis;
  const [to, back] = scale === "log" ? [Math.log10, (x: number) => 10 ** x] : [(x: number) => x, (x: number) => x];
  const [low, high] = [to(domain[0]), to(domain[1])];
  const numParts = isStepped ? Math.round(high - low) : numBins;
  const counts = Array.from({ length: numParts }, () => 0);
  for (const position of positions) {
    if (position === null) continue;
    const part = Math.min(numParts - 1, Math.floor((numParts * (to(position) - low)) / (high - low)));
    counts[part] = (counts[part] ?? 0) + 1;
  }
  // A step's bar is centred in its slot.
  const margin = isStepped ? 0.25 : 0;
  const edge = (part: number) => back(low + ((high - low) * part) / numParts);
  return counts.flatMap((count, part) =>
    count === 0 ? [] : [{ from: edge(part + margin), to: edge(part + 1 - margin), count }],
  );
}

/** Extends an axis to make room for the other axis's histogram. */
function makeRoom({ domain: [low, high], scale = "linear" }: FigureAxis): [number, number] {
  const share = 0.14;
  if (scale === "log") return [low, high * (high / low) ** share];
  return [low, high + share * (high - low)];
}
