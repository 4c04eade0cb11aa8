/** A line's name in a figure. */
export type FigureKey = { label: string; color: string; dash?: string | undefined };

type Placed = { height: number; items: { key: FigureKey; x: number; y: number }[] };

/** Names in rows that are no wider than the figure; positions of their baselines from the figure's lower edge. */
export function placeKeys(
  keys: readonly FigureKey[],
  { width, fontSize }: { width: number; fontSize: number },
): Placed {
  const rowHeight = 1.35 * fontSize;
  const items: Placed["items"] = [];
  let [x, row] = [0, 0];
  for (const key of keys) {
    // Names of methods are capitals, which are two thirds as wide as high.
    const keyWidth = 32 + 0.66 * fontSize * key.label.length;
    if (x > 0 && x + keyWidth > width) [x, row] = [0, row + 1];
    items.push({ key, x, y: (row + 0.9) * rowHeight });
    x += keyWidth;
  }
  return { height: keys.length === 0 ? 0 : (row + 1.3) * rowHeight, items };
}
