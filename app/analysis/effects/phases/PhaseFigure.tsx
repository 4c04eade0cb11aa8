"use client";
import { useMemo } from "react";
import { useGo } from "#app/_ui/useSelection.ts";
import type { PhasesAnswer } from "#server/domain/analysis/phases/answer.ts";
import { drawBoundary, type Boundary } from "#server/domain/analysis/phases/boundary.ts";
import type { PhaseAxis } from "#server/domain/analysis/phases/axis.ts";
import type { PhaseDiagram } from "#server/domain/analysis/phases/diagram.ts";
import type { Scales } from "#app/_charts/FigureDrawing.tsx";
import { widthOf } from "#app/_charts/axes.ts";
import { SvgFigure } from "#app/_charts/SvgFigure.tsx";
import { shadeColor } from "#app/_components/shadeColor.ts";
import { comparePath } from "#app/_components/comparePath.ts";
import { positionOf, prepareCells, toFigureAxis, toPhaseCsv, type DrawnCell } from "./preparePhases.ts";

type Axes = { x: PhaseAxis; y: PhaseAxis };
type Props = { title: string; axes: Axes; diagram: PhaseDiagram; runs: PhasesAnswer["runs"] };

/** Height in pixels of the space above and below the rows of the diagram. */
const frame = 64;

/** Height in pixels of a row, so that the names below the rows are within the first screen. */
function rowHeightOf(numRows: number): number {
  return Math.max(24, Math.min(52, 400 / numRows));
}

/** Phase diagram: collapse rates as shaded rectangles, the predicted boundary, and a cross at the best next cell. */
export function PhaseFigure({ title, axes, diagram, runs }: Props) {
  const cells = useMemo(() => prepareCells(axes, diagram, runs), [axes, diagram, runs]);
  const boundary = useMemo(() => diagram.fit && drawBoundary(axes, diagram.fit), [axes, diagram.fit]);
  const [best] = diagram.next;
  const [bestX, bestY] = [best && positionOf(axes.x, best.x), best && positionOf(axes.y, best.y)];
  return (
    <SvgFigure
      title={title}
      caption={diagram.whyNoFit}
      x={toFigureAxis(axes.x)}
      y={toFigureAxis(axes.y)}
      data={toPhaseCsv(axes, diagram)}
      height={frame + rowHeightOf(axes.y.levels.length) * Math.max(3, axes.y.levels.length)}
    >
      {(scales) => (
        <>
          {cells.map((cell) => (
            <CellMark key={`${cell.x} ${cell.y}`} cell={cell} scales={scales} />
          ))}
          {boundary && <BoundaryMarks boundary={boundary} scales={scales} />}
          {cells.filter(hasRoom(scales)).map(({ x, y, text }) => (
            <text
              key={`${x} ${y}`}
              x={scales.x(x)}
              y={scales.y(y) + 4}
              textAnchor="middle"
              pointerEvents="none"
              fill="var(--text)"
              stroke="var(--surface)"
              strokeWidth={3}
              strokeOpacity={0.7}
              paintOrder="stroke"
            >
              {text}
            </text>
          ))}
          {bestX !== undefined && bestY !== undefined && (
            <path
              d={`M${scales.x(bestX) - 7} ${scales.y(bestY) + 14}h14m-7 -7v14`}
              stroke="var(--accent)"
              strokeWidth={2.5}
              fill="none"
            >
              <title>Most informative next cell</title>
            </path>
          )}
        </>
      )}
    </SvgFigure>
  );
}

function boxOf({ x, y }: Scales, at: { x: number; y: number; width: number; height: number }) {
  const [left, bottom] = [x(at.x), y(at.y)];
  return { x: left, y: y(at.y + at.height), width: x(at.x + at.width) - left, height: bottom - y(at.y + at.height) };
}

/** Returns a test for rectangles wide enough for their text; other texts are only in the table below. */
function hasRoom(scales: Scales): (cell: DrawnCell) => boolean {
  const width = scales.x(1) - scales.x(0);
  return ({ text }) => widthOf(text) <= width;
}

function CellMark({ cell, scales }: { cell: DrawnCell; scales: Scales }) {
  const go = useGo();
  const box = boxOf(scales, { x: cell.x - 0.5, y: cell.y - 0.5, width: 1, height: 1 });
  return (
    <g className="cursor-pointer" onClick={() => go(comparePath(cell.runIds))}>
      <title>{cell.sentence}</title>
      <rect {...box} fill="var(--surface)" />
      <rect {...box} style={{ fill: shadeColor("bad", cell.rate) }} stroke="var(--line)" />
    </g>
  );
}

function BoundaryMarks({ boundary: { lines, band }, scales }: { boundary: Boundary; scales: Scales }) {
  const path = (points: (typeof lines)[number]) =>
    points.map(([x, y], i) => `${i === 0 ? "M" : "L"}${scales.x(x).toFixed(1)} ${scales.y(y).toFixed(1)}`).join("");
  const boxes = band.map((one) => boxOf(scales, one));
  return (
    <g pointerEvents="none">
      <path
        d={boxes.map(({ x, y, width, height }) => `M${x} ${y}h${width}v${height}h${-width}z`).join("")}
        fill="var(--text)"
        opacity={0.1}
      />
      <path d={lines.map(path).join("")} fill="none" stroke="var(--text)" strokeWidth={2} />
    </g>
  );
}
