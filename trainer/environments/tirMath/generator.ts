import { splitOf } from "#trainer/spec/environment.ts";
import type { MathFamily, TirMathSpec } from "#trainer/spec/environments/tirMath.ts";
import { split, type Rng } from "#trainer/spec/rng.ts";
import type { Level, Problem, Template } from "./template.ts";
import { NoTask } from "../environment.ts";
import { algebra } from "./templates/algebra.ts";
import { counting } from "./templates/counting.ts";
import { geometry } from "./templates/geometry.ts";
import { intermediate } from "./templates/intermediate.ts";
import { numberTheory } from "./templates/numberTheory.ts";
import { prealgebra } from "./templates/prealgebra.ts";
import { precalculus } from "./templates/precalculus.ts";

/** One math problem, with the programs that the expert uses and the answer that is checked. */
export type MathTask = {
  readonly family: MathFamily;
  readonly template: string;
  readonly text: string;
  readonly answer: string;
  /** Correct Python program, which prints the answer. */
  readonly program: string;
  /**
   * Wrong program that ends in an error; `decoys` are programs with a wrong result. Both contain mistakes that a
   * beginner could make.
   */
  readonly faulty: string;
  readonly decoys: readonly string[];
};

const maxAnswer = 10_000;
const levels: readonly Level[] = [1, 2, 3, 4, 5];

/**
 * Generates a task of the specification's subjects and levels. Equal seeds give equal tasks, and no task is in two
 * splits.
 */
export function generateTask(spec: TirMathSpec, seed: number): MathTask {
  const rng = split(seed, "tirMath");
  for (;;) {
    const { family, template, problem } = draw(spec, rng, splitOf(seed) === "unseen");
    if (Math.abs(problem.answer) >= maxAnswer || !belongsTo(problem.text, seed)) continue;
    return describeTask(family, template, problem);
  }
}

function draw(spec: TirMathSpec, rng: Rng, isHeldOut: boolean) {
  const family = spec.families[rng.int(spec.families.length)] ?? "prealgebra";
  const [low, high] = [Math.min(spec.minLevel, spec.maxLevel), Math.max(spec.minLevel, spec.maxLevel)];
  const level = levels[low - 1 + rng.int(high - low + 1)] ?? 1;
  const templates = families[family].filter((template) => template.isHeldOut === isHeldOut);
  const template = templates[rng.int(templates.length)];
  if (template === undefined) throw new NoTask(`${family} has no such templates`);
  return { family, template: template.name, problem: template.make(level, rng) };
}

const seenShare = 0.2;

/**
 * True if the problem belongs to the seed's split. One fifth of the problems of templates used in training is `seen`.
 */
function belongsTo(text: string, seed: number): boolean {
  const owner = splitOf(seed);
  if (owner === "unseen") return true;
  return split(text, "split").next() < seenShare === (owner === "seen");
}

/** Returns the task of a problem: its program, and wrong programs derived from that program. */
export function describeTask(family: MathFamily, template: string, { text, program, answer }: Problem): MathTask {
  const source = program.join("\n");
  return {
    family,
    template,
    text,
    answer: String(answer),
    program: source,
    faulty: toFaulty(source),
    decoys: toDecoys(source),
  };
}

/** Returns the program with a bug that raises an error: a missing import, a division by zero, or an undefined name. */
function toFaulty(source: string): string {
  if (source.startsWith("from ")) return source.slice(source.indexOf("\n") + 1);
  if (/(?:\/\/|%) \d+/.test(source) && !source.includes("\n")) return source.replace(/(\/\/|%) \d+/, "$1 0");
  return source.replace(/print\([^]*\)$/, "print(result)");
}

const operators: Readonly<Record<string, string>> = {
  "+": "-",
  "-": "+",
  "*": "+",
  "//": "*",
  "%": "//",
  "**": "*",
  gcd: "lcm",
  lcm: "gcd",
  comb: "perm",
  perm: "comb",
};

/** Returns up to two programs with wrong results: one with a wrong operator, one with a wrong number. */
function toDecoys(source: string): readonly string[] {
  const operator = /(?<= )(?:\*\*|\/\/|[+*%-])(?= )|\b(?:gcd|lcm|comb|perm)\b/.exec(source)?.[0] ?? "";
  const other = operators[operator];
  const last = [...source.matchAll(/\d+/g)].at(-1);
  const shifted =
    last === undefined
      ? source
      : source.slice(0, last.index) + String(Number(last[0]) + 1) + source.slice(last.index + last[0].length);
  const swapped = other === undefined ? source : source.replaceAll(operator, other);
  return [swapped, shifted].filter((decoy) => decoy !== source);
}

/** Templates of problems, by subject. */
export const families: Readonly<Record<MathFamily, readonly Template[]>> = {
  prealgebra: prealgebra.templates,
  algebra: algebra.templates,
  intermediate: intermediate.templates,
  number_theory: numberTheory.templates,
  counting: counting.templates,
  geometry: geometry.templates,
  precalculus: precalculus.templates,
};
