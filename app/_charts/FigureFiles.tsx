"use client";
import type { ReactElement } from "react";
import { Button } from "../_ui/Button.tsx";
import { useFigureSource } from "./figureSource.tsx";
import { exportCsv, exportPng, exportSvg } from "./exportFigure.ts";
import type { CsvRows } from "./paperSize.ts";
import type { FullScreen } from "./useFullScreen.ts";

type Props = {
  title: string;
  /** Version of the figure for a paper, rendered on request. */
  paper: ReactElement;
  data: () => CsvRows;
  fullScreen?: FullScreen;
};

/** Menu items that export a figure (SVG or PNG as wide as a paper column, values as CSV) and show it full screen. */
export function FigureFiles({ title, paper, data, fullScreen }: Props) {
  const fileName = [useFigureSource(), title].filter(Boolean).join(": ");
  return (
    <div className="flex flex-wrap gap-1.5">
      <Button aria-label={`${title} as SVG`} onClick={() => void exportSvg(paper, fileName)}>
        SVG
      </Button>
      <Button aria-label={`${title} as PNG`} onClick={() => void exportPng(paper, fileName)}>
        PNG
      </Button>
      <Button aria-label={`${title} as CSV`} onClick={() => exportCsv(data(), fileName)}>
        CSV
      </Button>
      {fullScreen?.isPossible && (
        <Button onClick={fullScreen.toggle}>{fullScreen.isFull ? "Leave full screen" : "Full screen"}</Button>
      )}
    </div>
  );
}
