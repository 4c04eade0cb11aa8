"use client";
import type { ReactElement } from "react";
import { exportCsv, exportSvg, type CsvRows } from "./exportFigure.ts";

type Props = {
  title: string;
  /** The figure as a paper wants it: drawn when it is asked for. */
  paper: ReactElement;
  /** The numbers drawn, first row the header. */
  data: () => CsvRows;
};

const look = "text-accent hover:underline";

/** A figure on its way into a paper: as SVG of a column's width, and its numbers. */
export function FigureButtons({ title, paper, data }: Props) {
  return (
    <>
      <button type="button" className={look} aria-label={`${title} as SVG`} onClick={() => exportSvg(paper, title)}>
        SVG
      </button>
      <button type="button" className={look} aria-label={`${title} as CSV`} onClick={() => exportCsv(data(), title)}>
        CSV
      </button>
    </>
  );
}
