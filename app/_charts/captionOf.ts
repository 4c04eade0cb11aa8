import type { ChartModel } from "./prepareChart.ts";

/** Caption of a chart for an exported file: quantity, seeds and interval, all remarks, and the sweeps. */
export function captionOf({ title, bandName, hasManyBands, notes }: ChartModel, source: string): string {
  const isSmoothed = notes.some((note) => note.startsWith("smoothed"));
  const sentences = [
    `${title}: ${bandName}${hasManyBands ? "" : bandName.includes("[") ? ", shaded" : ""}`,
    ...notes,
    ...(isSmoothed ? [] : ["not smoothed"]),
    ...(source === "" ? [] : [source]),
  ];
  return sentences.map((one) => `${one.charAt(0).toUpperCase()}${one.slice(1)}.`).join(" ");
}
