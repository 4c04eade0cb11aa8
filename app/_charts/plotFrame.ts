/** Space around the plot in pixels. Fixed, so that the cursor over the plot needs no measuring. */
export const plotFrame = { top: 8, right: 12, bottom: 22, left: 50 } as const;

/** Where a value lies on an axis: 0 at its start, 1 at its end. */
export function toFraction(value: number, [from, to]: readonly [number, number], scale: "linear" | "log"): number {
  if (scale === "linear") return (value - from) / (to - from);
  return Math.log(value / from) / Math.log(to / from);
}
