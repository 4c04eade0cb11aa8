import { memo } from "react";
import { labelSize } from "#app/_charts/axes.ts";
import { shorten } from "#app/_charts/format.ts";
import { drawingClass } from "#app/_charts/paperSize.ts";
import type { Looks } from "../_study/looks.ts";
import { linePath, type Geometry } from "./geometry.ts";
import type { AxisModel } from "./prepareAxis.ts";

type Props = {
  axes: readonly AxisModel[];
  geometry: Geometry;
  looks: Looks;
  isBrushed: readonly boolean[];
  lifted?: number | undefined;
  /** True for an exported file, in which the drawing includes the axes' titles. */
  hasTitles?: boolean;
};

export function ParallelDrawing({ axes, geometry, looks, isBrushed, lifted, hasTitles = false }: Props) {
  const { width, height, xOf, yOf } = geometry;
  const color = lifted === undefined ? undefined : looks.looks[looks.lookOf[lifted] ?? 0]?.color;
  return (
    <svg
      className={drawingClass}
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      fontSize={labelSize}
      aria-hidden="true"
    >
      <g opacity={lifted === undefined ? 1 : 0.35}>
        <Lines axes={axes} geometry={geometry} looks={looks} isBrushed={isBrushed} />
      </g>
      {lifted !== undefined && (
        <>
          <path d={linePath(axes, lifted, geometry)} fill="none" stroke="var(--surface)" strokeWidth={6} />
          <path d={linePath(axes, lifted, geometry)} fill="none" stroke={color} strokeWidth={3} />
        </>
      )}
      {axes.map(({ key, title, ticks }, index) => (
        <g key={key} transform={`translate(${xOf(index)} 0)`}>
          <line y1={yOf(0)} y2={yOf(1)} stroke="var(--edge)" />
          {ticks.map(({ place, text }) => (
            <text
              key={text}
              x={-7}
              y={yOf(place) + 4}
              textAnchor="end"
              fill="var(--text)"
              stroke="var(--surface)"
              strokeWidth={5}
              strokeLinejoin="round"
              paintOrder="stroke"
            >
              {shorten(text, maxLetters)}
            </text>
          ))}
          {hasTitles && (
            <text y={24} textAnchor="middle" fill="var(--text)">
              {shorten(title, maxLetters)}
            </text>
          )}
        </g>
      ))}
    </svg>
  );
}

/** All lines of one colour are one SVG path, so that ten thousand runs need no more elements than ten. */
const Lines = memo(function Lines({ axes, geometry, looks, isBrushed }: Omit<Props, "lifted" | "hasTitles">) {
  const paths = looks.looks.map(() => "");
  let outside = "";
  for (const [run, look] of looks.lookOf.entries()) {
    const path = linePath(axes, run, geometry);
    if (isBrushed[run]) paths[look] = (paths[look] ?? "") + path;
    else outside += path;
  }
  return (
    <g fill="none" strokeWidth={looks.lookOf.length > 100 ? 1 : 1.5}>
      <path d={outside} stroke="var(--line)" />
      {paths.map((path, i) => (
        <path key={looks.looks[i]?.label} d={path} stroke={looks.looks[i]?.color} />
      ))}
    </g>
  );
});

const maxLetters = 15;
