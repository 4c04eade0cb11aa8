"use client";
import type { ReactNode } from "react";
import { FigureHead } from "./FigureHead.tsx";
import { useFigureSource } from "./figureSource.tsx";
import { FigureMenu } from "./FigureMenu.tsx";
import { frameOf, type FigureAxis } from "./axes.ts";
import { LineNames } from "./LineNames.tsx";
import { type EndOfLine, roomFor } from "./lineEnds.ts";
import type { Scales } from "./FigureDrawing.tsx";
import { LazyDrawing } from "./LazyDrawing.tsx";
import { Measured } from "./Measured.tsx";
import { paper, type CsvRows } from "./paperSize.ts";
import { useFullScreen } from "./useFullScreen.ts";
import type { FigureKey } from "./placeKeys.ts";

type Props = {
  /** Title of the figure and base of its file names. */
  title: string;
  caption?: ReactNode;
  x: FigureAxis;
  y: FigureAxis;
  data: CsvRows;
  /** Figure height in pixels; the width is that of the container. */
  height?: number;
  /** Legend of the exported file; on screen it is beside the figure. */
  keys?: readonly FigureKey[];
  /** Returns the last point of each line in pixels, if the lines are named at their ends on screen. */
  ends?: (scales: Scales) => readonly (EndOfLine & { color: string; dash?: string | undefined })[];
  children: (scales: Scales) => ReactNode;
  /** Renders content below the plot; `left` and `right` are the pixels from the plot to the figure's sides. */
  renderBelow?: (frame: { left: number; right: number }) => ReactNode;
};

export function SvgFigure({ title, caption, x, y, data, height = 300, keys = [], ends, renderBelow, children }: Props) {
  const shared = { title, x, y };
  const source = useFigureSource();
  const { box, height: drawn, ...fullScreen } = useFullScreen(height);
  const paperFigure = (
    <LazyDrawing {...shared} {...paper} keys={keys} caption={toFileCaption(title, caption, source)}>
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

/** Returns the caption of an exported file: the title, the caption on screen if it is a string, and the sweeps or run. */
function toFileCaption(title: string, caption: ReactNode, source: string): string {
  const sentences = [title, typeof caption === "string" ? caption : "", source];
  return sentences.flatMap((one) => (one === "" ? [] : [/[.!?]$/.test(one) ? one : `${one}.`])).join(" ");
}
