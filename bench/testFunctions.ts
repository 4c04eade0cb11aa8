import type { Space } from "#server/domain/search/space.ts";

export type TestFunction = { name: string; space: Space; least: number; valueAt: (x: readonly number[]) => number };

const sum = (xs: readonly number[], of: (x: number, i: number) => number) =>
  xs.reduce((total, x, i) => total + of(x, i), 0);
const at = (xs: readonly number[], i: number): number => xs[i] ?? NaN;

/** Ten functions that optimisers are published with, in the forms of Surjanovic & Bingham's collection (sfu.ca/~ssurjano). */
export const testFunctions: readonly TestFunction[] = [
  { name: "Branin", space: axes([-5, 10], [0, 15]), least: 0.39788735772973816, valueAt: branin },
  { name: "six-hump camel", space: axes([-3, 3], [-2, 2]), least: -1.0316284534898774, valueAt: camel },
  { name: "Goldstein–Price", space: cube(2, -2, 2), least: 3, valueAt: goldsteinPrice },
  { name: "Hartmann 3", space: cube(3, 0, 1), least: -3.86277978733266, valueAt: hartmann3 },
  { name: "Hartmann 6", space: cube(6, 0, 1), least: -3.32236801141551, valueAt: hartmann6 },
  { name: "Ackley 5", space: cube(5, -32.768, 32.768), least: 0, valueAt: ackley },
  { name: "Rosenbrock 4", space: cube(4, -5, 10), least: 0, valueAt: rosenbrock },
  { name: "Levy 5", space: cube(5, -10, 10), least: 0, valueAt: levy },
  { name: "Rastrigin 4", space: cube(4, -5.12, 5.12), least: 0, valueAt: rastrigin },
  { name: "Styblinski–Tang 5", space: cube(5, -5, 5), least: -195.830828518857, valueAt: styblinskiTang },
];

function axes(...bounds: readonly (readonly [number, number])[]): Space {
  return Object.fromEntries(bounds.map(([low, high], i) => [`x${i}`, { kind: "uniform", low, high }]));
}

function cube(dimensions: number, low: number, high: number): Space {
  return axes(...Array.from({ length: dimensions }, () => [low, high] as const));
}

function branin([x = NaN, y = NaN]: readonly number[]): number {
  const b = 5.1 / (4 * Math.PI ** 2);
  return (y - b * x * x + (5 / Math.PI) * x - 6) ** 2 + 10 * (1 - 1 / (8 * Math.PI)) * Math.cos(x) + 10;
}

function camel([x = NaN, y = NaN]: readonly number[]): number {
  return (4 - 2.1 * x * x + x ** 4 / 3) * x * x + x * y + (-4 + 4 * y * y) * y * y;
}

function goldsteinPrice([x = NaN, y = NaN]: readonly number[]): number {
  const first = 1 + (x + y + 1) ** 2 * (19 - 14 * x + 3 * x * x - 14 * y + 6 * x * y + 3 * y * y);
  const second = 30 + (2 * x - 3 * y) ** 2 * (18 - 32 * x + 12 * x * x + 48 * y - 36 * x * y + 27 * y * y);
  return first * second;
}

type Wells = { scales: readonly (readonly number[])[]; centres: readonly (readonly number[])[] };
const depths = [1, 1.2, 3, 3.2];

function hartmann(xs: readonly number[], { scales, centres }: Wells): number {
  return -sum(depths, (depth, k) => {
    return depth * Math.exp(-sum(xs, (x, d) => at(scales[k] ?? [], d) * (x - at(centres[k] ?? [], d)) ** 2));
  });
}

function hartmann3(xs: readonly number[]): number {
  const scales = [
    [3, 10, 30],
    [0.1, 10, 35],
    [3, 10, 30],
    [0.1, 10, 35],
  ];
  const centres = [
    [0.3689, 0.117, 0.2673],
    [0.4699, 0.4387, 0.747],
    [0.1091, 0.8732, 0.5547],
    [0.0381, 0.5743, 0.8828],
  ];
  return hartmann(xs, { scales, centres });
}

function hartmann6(xs: readonly number[]): number {
  const scales = [
    [10, 3, 17, 3.5, 1.7, 8],
    [0.05, 10, 17, 0.1, 8, 14],
    [3, 3.5, 1.7, 10, 17, 8],
    [17, 8, 0.05, 10, 0.1, 14],
  ];
  const centres = [
    [0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886],
    [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991],
    [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.665],
    [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381],
  ];
  return hartmann(xs, { scales, centres });
}

function ackley(xs: readonly number[]): number {
  const radius = Math.sqrt(sum(xs, (x) => x * x) / xs.length);
  const waves = sum(xs, (x) => Math.cos(2 * Math.PI * x)) / xs.length;
  return -20 * Math.exp(-0.2 * radius) - Math.exp(waves) + 20 + Math.E;
}

function rosenbrock(xs: readonly number[]): number {
  return sum(xs.slice(1), (x, i) => 100 * (x - at(xs, i) ** 2) ** 2 + (at(xs, i) - 1) ** 2);
}

function levy(xs: readonly number[]): number {
  const w = xs.map((x) => 1 + (x - 1) / 4);
  const last = at(w, w.length - 1);
  const inner = sum(w.slice(0, -1), (v) => (v - 1) ** 2 * (1 + 10 * Math.sin(Math.PI * v + 1) ** 2));
  return Math.sin(Math.PI * at(w, 0)) ** 2 + inner + (last - 1) ** 2 * (1 + Math.sin(2 * Math.PI * last) ** 2);
}

function rastrigin(xs: readonly number[]): number {
  return 10 * xs.length + sum(xs, (x) => x * x - 10 * Math.cos(2 * Math.PI * x));
}

function styblinskiTang(xs: readonly number[]): number {
  return sum(xs, (x) => x ** 4 - 16 * x * x + 5 * x) / 2;
}
