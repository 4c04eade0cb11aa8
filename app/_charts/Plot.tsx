"use client";
import { CartesianGrid, LineChart, ResponsiveContainer, XAxis, YAxis } from "recharts";
import { formatTick } from "./format.ts";
import { plotFrame } from "./plotFrame.ts";
import type { ChartModel } from "./prepareChart.ts";
import { SeriesLayer } from "./SeriesLayer.tsx";
import { thinTicks } from "./ticks.ts";

/** Pixels from one label of the y-axis to the next. */
const labelHeight = 22;

const tick = { fill: "var(--muted)", fontSize: 11 };

/** Axes, grid and series of one model. */
export function Plot({ model, height }: { model: ChartModel; height: number }) {
  const [from, to] = model.x.domain;
  const [low] = model.y.domain;
  // The chart library would leave out whichever labels are in the way, and the distances would differ.
  const most = Math.max(2, Math.floor((height - plotFrame.top - plotFrame.bottom) / labelHeight));
  const texts = new Map(model.y.ticks.map(({ value, text }) => [value, text]));
  return (
    <ResponsiveContainer width="100%" height={height} initialDimension={{ width: 480, height }}>
      <LineChart
        data={[
          { x: from, y: low },
          { x: to, y: low },
        ]}
        margin={{ top: plotFrame.top, right: plotFrame.right, bottom: 0, left: 0 }}
        accessibilityLayer={false}
      >
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis
          dataKey="x"
          type="number"
          domain={model.x.domain}
          ticks={model.x.ticks}
          tickFormatter={formatTick}
          tick={tick}
          tickLine={false}
          axisLine={{ stroke: "var(--edge)" }}
          height={plotFrame.bottom}
          interval="equidistantPreserveStart"
          allowDataOverflow
        />
        <YAxis
          dataKey="y"
          type="number"
          scale={model.y.scale}
          domain={model.y.domain}
          ticks={thinTicks([...texts.keys()], most, model.y.scale)}
          tickFormatter={(value: number) => texts.get(value) ?? formatTick(value)}
          tick={tick}
          tickLine={false}
          axisLine={false}
          width={plotFrame.left}
          interval={0}
          allowDataOverflow
        />
        <SeriesLayer model={model} />
      </LineChart>
    </ResponsiveContainer>
  );
}
