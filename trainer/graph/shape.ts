import type { Shape } from "./tensor.ts";

export function numElements(shape: Shape): number {
  return shape.reduce((product, size) => product * size, 1);
}

export function isSameShape(a: Shape, b: Shape): boolean {
  return a.length === b.length && a.every((size, i) => size === b[i]);
}

/** Returns the shape to which two shapes broadcast (as in NumPy), or null if they are incompatible. */
export function broadcastShapes(a: Shape, b: Shape): Shape | null {
  const rank = Math.max(a.length, b.length);
  const result: number[] = [];
  for (let i = 0; i < rank; i++) {
    const x = a[a.length - rank + i] ?? 1;
    const y = b[b.length - rank + i] ?? 1;
    if (x !== y && x !== 1 && y !== 1) return null;
    result.push(x === 1 ? y : x);
  }
  return result;
}

/** Returns the given axes in ascending order, counted from 0: −1 becomes rank − 1. `undefined` means all axes. */
export function normalizeAxes(axes: number | readonly number[] | undefined, rank: number, what: string): number[] {
  const wanted = axes === undefined ? Array.from({ length: rank }, (_, i) => i) : [axes].flat();
  return wanted.map((axis) => normalizeAxis(axis, rank, what)).sort((x, y) => x - y);
}

export function normalizeAxis(axis: number, rank: number, what: string): number {
  const positive = axis < 0 ? axis + rank : axis;
  if (!Number.isInteger(axis) || positive < 0 || positive >= rank) {
    throw new RangeError(`${what}: axis ${axis} does not exist in a tensor of rank ${rank}`);
  }
  return positive;
}

export function reducedShape(shape: Shape, axes: readonly number[], keepDims: boolean): Shape {
  const dropped = new Set(axes);
  if (keepDims) return shape.map((size, i) => (dropped.has(i) ? 1 : size));
  return shape.filter((_, i) => !dropped.has(i));
}

export function withAxis(shape: Shape, axis: number, size: number): Shape {
  return shape.map((old, i) => (i === axis ? size : old));
}

export function toText(shape: Shape): string {
  return `(${shape.join(", ")})`;
}
