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
  readonly program: string;
  /** Wrong program that ends in an error, by a beginner's mistake; `decoys` are programs with a wrong result. */
  readonly faulty: string;
  readonly decoys: readonly string[];
};

const maxAnswer = 10_000;

/** Generates a task of the chosen subjects and levels. Equal seeds give equal tasks; no task is in two splits. */
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
  const levels = levelsOf(spec);
  const level = levels[rng.int(levels.length)] ?? 1;
  const templates = families[family].filter((template) => template.isHeldOut === isHeldOut);
  const template = templates[rng.int(templates.length)];
  if (template === undefined) throw new NoTask(`${family} has no such templates`);
  return { family, template: template.name, problem: template.make(level, rng) };
}

export function levelsOf({ minLevel, maxLevel }: TirMathSpec): readonly Level[] {
  const [low, high] = [Math.min(minLevel, maxLevel), Math.max(minLevel, maxLevel)];
  return ([1, 2, 3, 4, 5] as const).filter((level) => level >= low && level <= high);
}

const seenShare = 0.2;

/** True if the problem belongs to the seed's split. One fifth of the problems of trained templates is `seen`. */
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

export const families: Readonly<Record<MathFamily, readonly Template[]>> = {
  prealgebra,
  algebra,
  intermediate,
  number_theory: numberTheory,
  counting,
  geometry,
  precalculus,
};
