export type FigureKey = { label: string; color: string; dash?: string | undefined };

type Placed = { height: number; items: { key: FigureKey; x: number; y: number }[] };

/** Lays out a legend in rows; `y` is a row's text baseline, measured from the figure's lower edge. */
export function placeKeys(
  keys: readonly FigureKey[],
  { width, fontSize }: { width: number; fontSize: number },
): Placed {
  const rowHeight = 1.35 * fontSize;
  const items: Placed["items"] = [];
  let [x, row] = [0, 0];
  for (const key of keys) {
    // Estimates the text width: method names are in capitals, whose width is about two thirds of the font size.
    const keyWidth = 32 + 0.66 * fontSize * key.label.length;
    if (x > 0 && x + keyWidth > width) [x, row] = [0, row + 1];
    items.push({ key, x, y: (row + 0.9) * rowHeight });
    x += keyWidth;
  }
  return { height: keys.length === 0 ? 0 : (row + 1.3) * rowHeight, items };
}
