"use client";
import { lowerFirst } from "#packages/base";
import { unitOf } from "#server/domain/runs/table/field.ts";
import { writeFigure } from "#packages/statistics";
import { Card } from "#app/_ui/Card.tsx";
import { ChoiceBeside } from "#app/_ui/Choice.tsx";
import { textPart } from "#app/_ui/address.ts";
import { useAddress } from "#app/_ui/useAddress.ts";
import type { Looks } from "../_study/looks.ts";
import {
  inWords,
  isYesOrNo,
  type Study,
  type StudyColumn,
} from "#server/domain/analysis/hyperparameters/prepareStudy.ts";
import { useMemo } from "react";
import { formatPercent } from "#app/_charts/format.ts";
import { shadeColor } from "#app/_components/shadeColor.ts";
import { Cell, GridTable } from "#app/_ui/Table.tsx";
import { prepareHeatmap } from "./prepareHeatmap.ts";
import { SvgFigure } from "#app/_charts/SvgFigure.tsx";
import { RunDots } from "../_slices/RunDots.tsx";
import { placeColumn, type Positions } from "../_slices/prepareSlice.ts";
import type { FigureAxis } from "#app/_charts/axes.ts";

const downPart = textPart("down");
const acrossPart = textPart("across");
const xPart = textPart("x");
const upPart = textPart("up");

type Props = { study: Study; looks: Looks; isBrushed: readonly boolean[] };

export function PairFigures({ study, looks, isBrushed }: Props) {
  const { parameters, columns, outcome } = study;
  const all = columns.some(({ key }) => key === outcome.key) ? columns : [...columns, inWords(outcome)];
  const [down, setDown] = useColumn(downPart, parameters, parameters[0]);
  const [across, setAcross] = useColumn(acrossPart, parameters, parameters[1]);
  const [x, setX] = useColumn(xPart, all, parameters.find(({ scale }) => scale.kind === "numeric") ?? parameters[0]);
  const [up, setUp] = useColumn(upPart, all, inWords(outcome));
  return (
    <section aria-label="Pairs of parameters">
      <h2 className="mb-2 text-lg font-semibold">Pairs of parameters</h2>
      <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-2">
        {down && across && (
          <Card
            title={`Mean ${lowerFirst(outcome.title)}`}
            actions={
              <>
                <ColumnChoice label="Rows" columns={parameters} value={down} onChange={setDown} />
                <ColumnChoice label="Columns" columns={parameters} value={across} onChange={setAcross} />
              </>
            }
          >
            <HeatmapTable down={down} across={across} outcome={outcome} />
          </Card>
        )}
        {x && up && (
          <div className="min-w-0 space-y-2">
            <div className="flex flex-wrap gap-2">
              <ColumnChoice label="y-axis" columns={all} value={up} onChange={setUp} />
              <ColumnChoice label="x-axis" columns={all} value={x} onChange={setX} />
            </div>
            <ScatterFigure across={x} up={up} looks={looks} isBrushed={isBrushed} />
          </div>
        )}
      </div>
    </section>
  );
}

function useColumn(
  part: typeof downPart,
  columns: readonly StudyColumn[],
  usual: StudyColumn | undefined,
): [StudyColumn | undefined, (key: string) => void] {
  const [key, setKey] = useAddress(part);
  return [columns.find((column) => column.key === key) ?? usual, setKey];
}

type ChoiceProps = {
  label: string;
  columns: readonly StudyColumn[];
  value: StudyColumn;
  onChange: (key: string) => void;
};

function ColumnChoice({ label, columns, value, onChange }: ChoiceProps) {
  const options = columns.map(({ key, title }) => ({ value: key, label: title }));
  return <ChoiceBeside label={label} options={options} value={value.key} onChange={onChange} className="max-w-48" />;
}

type HeatmapTableProps = { down: StudyColumn; across: StudyColumn; outcome: StudyColumn };

export function HeatmapTable({ down, across, outcome }: HeatmapTableProps) {
  const map = useMemo(() => prepareHeatmap(down, across, outcome), [down, across, outcome]);
  const shade = (value: number) => (map.high > map.low ? (value - map.low) / (map.high - map.low) : 0);
  return (
    <>
      <GridTable
        caption={`${outcome.title} by ${down.title} and ${across.title}`}
        corner={`${down.title} ╲ ${across.title}`}
        columns={map.columns}
        columnClassName="whitespace-nowrap"
        rows={map.rows.map((title, r) => ({
          title,
          cells: map.columns.map((column, c) => {
            const cell = map.cells[r]?.[c];
            return (
              <Cell
                key={column}
                className="py-1.5 text-right text-sm whitespace-nowrap"
                style={cell && { background: shadeColor("accent", shade(cell.mean)) }}
              >
                {cell ? (
                  <>
                    {isYesOrNo(outcome.key) ? formatPercent(cell.mean) : writeFigure(cell.mean, unitOf(outcome.key))}{" "}
                    <span className="text-xs">({cell.n})</span>
                  </>
                ) : (
                  <span className="text-xs text-muted">not run</span>
                )}
              </Cell>
            );
          }),
        }))}
        rowClassName="whitespace-nowrap"
      />
      <p className="mt-2 max-w-4xl text-xs text-muted">
        Each cell shows the mean of its runs and, in parentheses, their number. Nothing is interpolated.{" "}
        {map.isBinned && "A parameter with many values is divided into six bins of equal width."}
      </p>
    </>
  );
}

type ScatterFigureProps = { across: StudyColumn; up: StudyColumn; looks: Looks; isBrushed: readonly boolean[] };

export function ScatterFigure({ across, up, looks, isBrushed }: ScatterFigureProps) {
  const [x, y] = useMemo(() => [placeColumn(across), placeColumn(up)], [across, up]);
  return (
    <SvgFigure
      title={`${up.title} over ${across.title}`}
      caption="Bars are histograms of all runs. Dots of runs that are not selected are faint."
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

/** Counts the runs in each of twenty bins of an axis; an axis with levels has one bin per level. */
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
  // The bar of a level is centred at the level.
  const margin = isStepped ? 0.25 : 0;
  const edge = (part: number) => back(low + ((high - low) * part) / numParts);
  return counts.flatMap((count, part) =>
    count === 0 ? [] : [{ from: edge(part + margin), to: edge(part + 1 - margin), count }],
  );
}

/** Extends an axis at its upper end, so that the other axis's histogram has its own space. */
function makeRoom({ domain: [low, high], scale = "linear" }: FigureAxis): [number, number] {
  const share = 0.14;
  if (scale === "log") return [low, high * (high / low) ** share];
  return [low, high + share * (high - low)];
}
