"use client";
import { useMemo } from "react";
import { SvgFigure } from "#app/_charts/SvgFigure.tsx";
import { RunDots } from "../_slices/RunDots.tsx";
import { placeColumn, type Positions } from "../_slices/prepareSlice.ts";
import type { Looks } from "../_study/looks.ts";
import type { StudyColumn } from "#server/domain/importance/prepareStudy.ts";
import { countBins, makeRoom } from "./histogram.ts";

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
