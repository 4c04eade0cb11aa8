import type { Rng } from "#trainer/spec/rng.ts";

export type Level = 1 | 2 | 3 | 4 | 5;

/** A math problem in words, a program that solves it, and the program's output, which is computed without Python. */
export type Problem = { text: string; program: readonly string[]; answer: number };

/** Generator of one kind of math problem at five levels. Held-out templates never occur in training. */
export type Template = { name: string; isHeldOut: boolean; make: Maker };
type Maker = (level: Level, rng: Rng) => Problem;
type Makers = Readonly<Record<string, Maker>>;

/** Lists the templates of a subject, given their generators by name. */
export function listTemplates({ trained, heldOut }: { trained: Makers; heldOut: Makers }): readonly Template[] {
  const list = (makers: Makers, isHeldOut: boolean): Template[] =>
    Object.entries(makers).map(([name, make]) => ({ name, isHeldOut, make }));
  return [...list(trained, false), ...list(heldOut, true)];
}

/** Samples an integer uniformly from `low` to `high`. */
export function between(rng: Rng, low: number, high: number): number {
  return low + rng.int(high - low + 1);
}

const highest = { 1: 9, 2: 20, 3: 60, 4: 200, 5: 900 } as const;

/** Samples a number for a problem, at least 2, whose size grows with the level. */
export function operand(level: Level, rng: Rng): number {
  return between(rng, level < 3 ? 2 : 10, highest[level]);
}

/** Returns the sum of `value(i)` over the integers i from `low` to `high`. */
export function sumOf(low: number, high: number, value: (i: number) => number): number {
  let sum = 0;
  for (let i = low; i <= high; i++) sum += value(i);
  return sum;
}

/** Counts the integers from `low` to `high` for which `test` is true. */
export function countOf(low: number, high: number, test: (i: number) => boolean): number {
  return sumOf(low, high, (i) => (test(i) ? 1 : 0));
}

/** Computes base^exponent mod modulus; intermediate values stay below base · modulus. */
export function powerModulo(base: number, exponent: number, modulus: number): number {
  let result = 1 % modulus;
  for (let i = 0; i < exponent; i++) result = (result * base) % modulus;
  return result;
}

export function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

export function choose(n: number, k: number): number {
  let ways = 1;
  for (let i = 1; i <= k; i++) ways = (ways * (n - k + i)) / i;
  return ways;
}
