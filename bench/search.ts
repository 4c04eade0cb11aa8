/**
 * Our TPE and random search against real Optuna's: regret, the distance of the best value to the function's least, after
 * equal numbers of trials on ten published test functions; medians over seeds, and the ratio of ours to theirs with a
 * bootstrap interval over seeds (below 1: ours is nearer).
 * `ARLARENA_OPTUNA_PYTHON=…/bin/python node bench/compiled.mjs search [TRIALS 100] [SEEDS 20]`
 * That Python has the package `optuna`. Both TPEs model parameters jointly and by groups, one trial at a time.
 */
import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { decideTrial, Sampler } from "#server/domain/search/decide.ts";
import type { Trial } from "#server/domain/search/trial.ts";
import { bootstrap } from "#server/domain/statistics/bootstrap.ts";
import { medianOf, readNumbers } from "./throwaway.ts";
import { type TestFunction, testFunctions } from "./testFunctions.ts";

const python = process.env["ARLARENA_OPTUNA_PYTHON"];
if (python === undefined) throw new Error("ARLARENA_OPTUNA_PYTHON names no Python that has optuna");
const [numTrials = 0, numSeeds = 0] = readNumbers([100, 20]);
const seeds = Array.from({ length: numSeeds }, (_, seed) => seed);
const Answer = z.object({ points: z.array(z.array(z.number())) });

const child = spawn(python, [join(dirname(import.meta.dirname), "bench/optunaStudies.py")], {
  stdio: ["pipe", "pipe", "inherit"],
});
const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
console.log(
  `Optuna ${z.object({ optuna: z.string() }).parse(await read()).optuna}, Node.js ${process.version}; ${numTrials} trials, ${numSeeds} seeds`,
);
for (const kind of ["tpe", "random"] as const) await compare(kind);
child.stdin.end();

async function read(): Promise<unknown> {
  const { value, done } = await lines.next();
  if (done === true) throw new Error(`Optuna ended with exit code ${child.exitCode}`);
  return JSON.parse(value);
}

async function compare(kind: "tpe" | "random"): Promise<void> {
  row([kind, "ours", "Optuna's", "ratio (95 %)"]);
  const all: number[][] = [];
  for (const one of testFunctions) {
    const ours = seeds.map((seed) => searchHere(kind, one, seed));
    const theirs = await searchThere(kind, one);
    all.push(ours, theirs);
    row([one.name, toDigits(medianOf(ours)), toDigits(medianOf(theirs)), describeRatio([ours, theirs])]);
  }
  row(["geometric mean of the ten ratios", "", "", describeRatio(all)]);
}

function searchHere(kind: "tpe" | "random", { space, least, valueAt }: TestFunction, seed: number): number {
  const search = { sampler: Sampler.parse({ kind, seed }), space };
  const trials: Trial[] = [];
  for (let i = 0; i < numTrials; i++) {
    const { number, point } = decideTrial(search, trials);
    const loss = valueAt(Object.values(point).map(Number));
    trials.push({ number, point, outcome: { kind: "measured", losses: [loss] } });
  }
  return Math.min(...trials.flatMap(({ outcome }) => (outcome?.kind === "measured" ? outcome.losses : []))) - least;
}

async function searchThere(kind: "tpe" | "random", { space, least, valueAt }: TestFunction): Promise<number[]> {
  const bounds = Object.values(space).map((one) => (one.kind === "choice" ? [] : [one.low, one.high]));
  child.stdin.write(`${JSON.stringify({ sampler: kind, bounds, seeds })}\n`);
  const best = seeds.map(() => Infinity);
  for (let i = 0; i < numTrials; i++) {
    const values = Answer.parse(await read()).points.map(valueAt);
    for (const [s, value] of values.entries()) best[s] = Math.min(best[s] ?? Infinity, value);
    // The last points are not told: the next message starts other studies.
    if (i < numTrials - 1) child.stdin.write(`${JSON.stringify({ values })}\n`);
  }
  return best.map((value) => value - least);
}

/** Ours and theirs in turn, a function after another: the geometric mean of the ratios of medians, seeds resampled. */
function describeRatio(strata: readonly (readonly number[])[]): string {
  const { estimate, interval } = bootstrap(strata, (drawn) => {
    const logs = drawn.flatMap((ours, i) =>
      i % 2 === 0 ? Math.log(medianOf(ours) / medianOf(drawn[i + 1] ?? [])) : [],
    );
    return Math.exp(logs.reduce((total, log) => total + log, 0) / logs.length);
  });
  return `${toDigits(estimate)} (${toDigits(interval.low)}–${toDigits(interval.high)})`;
}

function toDigits(figure: number): string {
  return figure.toLocaleString("en", { maximumSignificantDigits: 3 });
}

function row([what = "", ...columns]: readonly string[]): void {
  console.log(what.padEnd(36) + columns.map((column) => column.padStart(22)).join(""));
}
