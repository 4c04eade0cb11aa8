type Size = { width: number; height: number };

const across = 2;
const gap = 12;

/** Arranges the panels of an exported figure in rows of two, each row as high as its highest panel. */
export function placePanels(panels: readonly Size[]): Size & { places: { x: number; y: number }[] } {
  const places: { x: number; y: number }[] = [];
  let [y, widest] = [0, 0];
  for (let first = 0; first < panels.length; first += across) {
    let x = 0;
    const row = panels.slice(first, first + across);
    for (const { width } of row) {
      places.push({ x, y });
      x += width + gap;
    }
    widest = Math.max(widest, x - gap);
    y += Math.max(...row.map(({ height }) => height)) + gap;
  }
  return { places, width: widest, height: Math.max(0, y - gap) };
}
