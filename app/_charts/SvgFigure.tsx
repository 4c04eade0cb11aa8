"use client";
import type { ReactNode } from "react";
import { FigureHead } from "./FigureHead.tsx";
import { useFigureSource } from "./figureSource.tsx";
import { FigureMenu } from "./FigureMenu.tsx";
import { frameOf, type FigureAxis } from "./axes.ts";
import { LineNames } from "./LineNames.tsx";
import { roomFor } from "./lineEnds.ts";
import type { EndOfLine } from "./placeLineNames.ts";
import type { Scales } from "./FigureDrawing.tsx";
import { LazyDrawing } from "./LazyDrawing.tsx";
import { Measured } from "./Measured.tsx";
import { paper, type CsvRows } from "./paperSize.ts";
import { useFullScreen } from "./useFullScreen.ts";
import type { FigureKey } from "./placeKeys.ts";

type Props = {
  /** Names the figure and its files. */
  title: string;
  caption?: ReactNode;
  x: FigureAxis;
  y: FigureAxis;
  /** The numbers drawn, first row the header. */
  data: CsvRows;
  /** Pixels; the figure is as wide as its place. */
  height?: number;
  /** Names of what is drawn, where the page says them beside the figure: its file says them itself. */
  keys?: readonly FigureKey[];
  /** Where lines end, whose names stand there on the page. In pixels. */
  ends?: (scales: Scales) => readonly (EndOfLine & { color: string; dash?: string | undefined })[];
  children: (scales: Scales) => ReactNode;
  /** Below the plot, which begins and ends so many pixels from the figure's sides. */
  renderBelow?: (frame: { left: number; right: number }) => ReactNode;
};

/** A figure with two axes, to be read on the page and in a paper: as SVG of a column's width, and its data as CSV. */
export function SvgFigure({ title, caption, x, y, data, height = 300, keys = [], ends, renderBelow, children }: Props) {
  const shared = { title, x, y };
  const source = useFigureSource();
  const { box, height: drawn, ...fullScreen } = useFullScreen(height);
  const paperFigure = (
    <LazyDrawing {...shared} {...paper} keys={keys} caption={toFileCaption(caption, source)}>
      {children}
    </LazyDrawing>
  );
  return (
    <figure ref={box} aria-label={title} className="min-w-0 rounded-lg border border-line bg-surface p-3">
      <FigureHead
        title={title}
        menu={<FigureMenu title={title} data={() => data} paper={paperFigure} fullScreen={fullScreen} />}
      />
      {caption && <p className="mb-1 text-xs text-muted">{caption}</p>}
      <Measured height={drawn}>
        {(width) => {
          const frame = frameOf(x, y, width);
          const right =
            (ends &&
              roomFor(
                keys.map(({ label }) => label),
                width,
              )) ??
            frame.right;
          return (
            <>
              <LazyDrawing {...shared} width={width} height={drawn} right={right}>
                {(scales) => (
                  <>
                    {children(scales)}
                    {ends && right > frame.right && <LineNames ends={ends(scales)} plot={scales.plot} room={right} />}
                  </>
                )}
              </LazyDrawing>
              {renderBelow?.({ left: frame.left, right })}
            </>
          );
        }}
      </Measured>
    </figure>
  );
}

/** Without its page, a figure says itself what it shows and of which sweeps. */
function toFileCaption(caption: ReactNode, source: string): string {
  const sentences = [typeof caption === "string" ? caption : "", source];
  return sentences.flatMap((one) => (one === "" ? [] : [/[.!?]$/.test(one) ? one : `${one}.`])).join(" ");
}
