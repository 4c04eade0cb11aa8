type Point = { name: string; x: number; y: number };
type Box = { left: number; right: number; top: number; bottom: number };
/** Position of a name's middle and left end. `isAway`: a leader line connects the name with its point and ends at `lineY`. */
type Place = { x: number; y: number; left: number; lineY: number; isAway: boolean };

const height = 14;
/** Width of a capital letter at label size (12). */
const letter = 7.6;
const radius = 8;
/** Room for a dot before a name away from its point. */
const gap = 10;

/**
 * Places each name near its point without covering another name or point: above or below first, then at growing distances. Units are the figure's. If
 * no place is free, the name is above its point.
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
/** Vertical offsets of a name's middle from its point: −18, 18, −33, 33, … */
const offsets = Array.from({ length: 24 }, (_, i) => (i % 2 === 0 ? -1 : 1) * (nearest + 15 * Math.floor(i / 2)));

function boxAround(x: number, y: number, { halfWidth, halfHeight }: { halfWidth: number; halfHeight: number }): Box {
  return { left: x - halfWidth, right: x + halfWidth, top: y - halfHeight, bottom: y + halfHeight };
}

function overlap(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
