/** Pixels from one name to the next. */
const rowHeight = 13;

/** `x`, `y`: end of the line in pixels. A level, such as a baseline, spans the whole plot. */
export type EndOfLine = { id: string; label: string; x: number; y: number; isLevel?: boolean };
/** A name centred at `at`, or the number of names without room. */
export type PlacedName = EndOfLine & { at: number };

/**
 * Places names beside line ends without overlap, each as near to its end as possible, within the plot. If they do not all fit, the names of the
 * highest lines stay and the rest are counted.
 */
export function placeLineNames(
  ends: readonly EndOfLine[],
  { y: top, height }: { y: number; height: number },
): { names: PlacedName[]; numLeft: number } {
  const most = Math.max(1, Math.floor(height / rowHeight));
  const sorted = ends.toSorted((a, b) => a.y - b.y);
  // One row is for the count.
  const shown = sorted.length <= most ? sorted : sorted.slice(0, most - 1);
  const [first, last] = [
    top + rowHeight / 2,
    top + height - rowHeight / 2 - (shown.length < sorted.length ? rowHeight : 0),
  ];
  const blocks: { names: EndOfLine[]; from: number }[] = [];
  for (const end of shown) {
    blocks.push({ names: [end], from: within(end.y, first, last) });
    // Touching blocks are merged and centred at the mean of their names' targets.
    for (let [before, block] = blocks.slice(-2); before && block; [before, block] = blocks.slice(-2)) {
      if (before.from + before.names.length * rowHeight <= block.from) break;
      const names = [...before.names, ...block.names];
      const middle = names.reduce((sum, { y }, i) => sum + y - i * rowHeight, 0) / names.length;
      blocks.splice(-2, 2, { names, from: within(middle, first, last - (names.length - 1) * rowHeight) });
    }
  }
  return {
    names: blocks.flatMap(({ names, from }) => names.map((end, i) => ({ ...end, at: from + i * rowHeight }))),
    numLeft: sorted.length - shown.length,
  };
}

function within(y: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, y));
}
