type Point = { name: string; x: number; y: number };
type Box = { left: number; right: number; top: number; bottom: number };
/** Where a name's middle stands and its left end; `isAway` where a line has to lead to it, which ends at `lineY`. */
type Place = { x: number; y: number; left: number; lineY: number; isAway: boolean };

const height = 14;
/** Of names in capitals, at the size of labels (12). */
const letter = 7.6;
const radius = 8;
/** Room for a dot before a name that stands away. */
const gap = 10;

/**
 * A place for each name near its point where it covers no other name and no point: above or below first, then ever
 * further up and down. All units are the figure's. Where nothing is free the name stands above its point.
 */
export function placeNames(points: readonly Point[], frame: Box): Place[] {
  const taken: Box[] = points.map(({ x, y }) => boxAround(x, y, { halfWidth: radius, halfHeight: radius }));
  const positions = new Map<Point, Place>();
  for (const point of points.toSorted((a, b) => a.x - b.x)) {
    const halfWidth = (point.name.length * letter + gap) / 2;
    const x = Math.min(Math.max(point.x, frame.left + halfWidth), frame.right - halfWidth);
    const rows = offsets.map((dy) => boxAround(x, point.y + dy, { halfWidth, halfHeight: height / 2 }));
    const isFree = (box: Box) =>
      box.top >= frame.top && box.bottom <= frame.bottom && !taken.some((other) => overlap(box, other));
    const found = rows.findIndex(isFree);
    const [dy, box] = [offsets[found] ?? -nearest, rows[found] ?? rows[0]];
    if (box) taken.push(box);
    const middle = point.y + dy;
    positions.set(point, {
      x,
      y: middle + 0.35 * height,
      left: x - halfWidth,
      lineY: middle - (Math.sign(dy) * height) / 2,
      isAway: Math.abs(dy) > nearest,
    });
  }
  return points.flatMap((point) => positions.get(point) ?? []);
}

const nearest = 18;
/** From a point to the middle of its name: −18, 18, −33, 33, … */
const offsets = Array.from({ length: 24 }, (_, i) => (i % 2 === 0 ? -1 : 1) * (nearest + 15 * Math.floor(i / 2)));

function boxAround(x: number, y: number, { halfWidth, halfHeight }: { halfWidth: number; halfHeight: number }): Box {
  return { left: x - halfWidth, right: x + halfWidth, top: y - halfHeight, bottom: y + halfHeight };
}

function overlap(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
