/**
 * What early stopping would have saved on recorded studies, and whether it would have kept what was best in the end.
 * `node bench/compiled.mjs halving [REPLAYS 100] [WORKERS 4]`
 * The curves are the held-out success of each finished run of a study; every replay draws the order in which they enter
 * anew. With rungs in iterations an entry is a run; with rungs in seeds, and in a race, it is a configuration, whose value
 * is its mean over all of its seeds. Saved: the share of all recorded iterations that the replay did not train.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type Climber, decideStep, Halving, listRungs } from "#server/domain/search/halving.ts";
import { finalMean } from "#server/domain/search/objective.ts";
import { race } from "#server/domain/search/racing.ts";
import { mean } from "#server/domain/statistics/summary.ts";
import { wilsonInterval } from "#server/domain/statistics/rates.ts";
import { split } from "#trainer/spec/rng.ts";
import { readRecordedCurves, type RecordedCurve } from "./recordedCurves.ts";
import { medianOf, readNumbers } from "./throwaway.ts";

/** What can be trained to a rung: the loss there and the iterations that it takes from nothing to there. */
type Entry = { losses: number[]; costs: number[]; finalLoss: number; recorded: number };
type Replayed = { used: number; isBestKept: boolean };
type Report = { total: number; replays: Replayed[] };

const [numReplays = 0, numWorkers = 0] = readNumbers([100, 4]);
const folder = join(import.meta.dirname, "../studies");
const laboratory = readdirSync(join(folder, "laboratory")).filter((name) => /^screen-.*\.arlarena$/.test(name));
const studies = [
  ...["sokoban", "webshop", "alfworld"].map((name) => ({
    name: `Table 3, ${name}`,
    files: [`table3-${name}.arlarena`],
  })),
  { name: "laboratory, screen", files: laboratory.map((name) => join("laboratory", name)) },
];

row(["", "iterations", "saved, median", "best kept in", "95 %"]);
const together = new Map<string, Report[]>();
for (const { name, files } of studies) {
  const curves = (await Promise.all(files.map((file) => readRecordedCurves(join(folder, file))))).flat();
  for (const factor of [2, 3, 4]) {
    for (const [title, isWatched] of [
      ["", false],
      [", detector stops too", true],
    ] as const) {
      const rule = { least: firstOf(curves), most: mostOf(curves), factor };
      const what = `runs, 1/${factor}${title}`;
      const one = reportHalving(`${name}: ${what}`, toRuns(curves, { rule, isWatched }), rule);
      together.set(what, [...(together.get(what) ?? []), one]);
    }
  }
  const cells = wholeCells(curves);
  const rule = { least: 1, most: cells[0]?.length ?? 1, factor: 2 };
  reportHalving(`${name}: seeds, 1/2`, cells.map(toConfiguration), rule);
  for (const kind of ["friedman", "t"] as const) {
    report(`${name}: race by ${kind}`, cells.map(toConfiguration), (entries, seed) => raceSeeds(kind, entries, seed));
  }
}

for (const [what, reports] of together) {
  const total = reports.reduce((sum, one) => sum + one.total, 0);
  const used = Array.from({ length: numReplays }, (_, i) => {
    return reports.reduce((sum, { replays }) => sum + (replays[i]?.used ?? NaN), 0);
  });
  print(`all four: ${what}`, { total, used, kept: reports.flatMap(({ replays }) => replays) });
}

function mostOf(curves: readonly RecordedCurve[]): number {
  return Math.max(...curves.map(({ iterations }) => iterations));
}

/** The first iteration by which every run was evaluated: below it there is nothing to judge by. */
function firstOf(curves: readonly RecordedCurve[]): number {
  return Math.max(...curves.map(({ success }) => success[0]?.iteration ?? NaN));
}

type Rule = Pick<Halving, "least" | "most" | "factor">;

/** Where a run had collapsed by a rung it is lost there, and ended where the detector said so. */
function toRuns(curves: readonly RecordedCurve[], { rule, isWatched }: { rule: Rule; isWatched: boolean }): Entry[] {
  return curves.map(({ success, collapsedAt, iterations }) => {
    const end = isWatched ? collapsedAt : Infinity;
    const losses = listRungs(rule).map((rung) => (end <= rung ? Infinity : -finalMean(success, rung)));
    const costs = listRungs(rule).map((rung) => Math.min(rung, end, iterations));
    return { losses, costs, finalLoss: -finalMean(success, iterations), recorded: iterations };
  });
}

/** Configurations of which every seed was recorded, seeds ascending. */
function wholeCells(curves: readonly RecordedCurve[]): RecordedCurve[][] {
  const names = [...new Set(curves.map(({ cell }) => cell))];
  const cells = names.map((name) => curves.filter(({ cell }) => cell === name).toSorted((a, b) => a.seed - b.seed));
  const most = Math.max(...cells.map((cell) => cell.length));
  return cells.filter((cell) => cell.length === most);
}

/** Its rungs are the seeds, one after another: the mean so far, and what they took so far. */
function toConfiguration(cell: readonly RecordedCurve[]): Entry {
  const finals = cell.map(({ success, iterations }) => -finalMean(success, iterations));
  const costs = cell.map((_, i) => cell.slice(0, i + 1).reduce((sum, { iterations }) => sum + iterations, 0));
  return { losses: finals, costs, finalLoss: mean(finals), recorded: costs.at(-1) ?? NaN };
}

function reportHalving(title: string, entries: readonly Entry[], rule: Rule): Report {
  const halving = Halving.parse({ kind: "asha", ...rule, numEntered: entries.length });
  const isOfSeeds = rule.least === 1;
  const rungs = listRungs(halving);
  // A rung of seeds is judged by the mean of as many.
  const prepared = isOfSeeds
    ? entries.map(({ losses, costs, ...entry }) => ({
        ...entry,
        losses: rungs.map((rung) => mean(losses.slice(0, rung))),
        costs: rungs.map((rung) => costs[rung - 1] ?? NaN),
      }))
    : entries;
  return report(title, prepared, (shuffled) => climb(halving, shuffled));
}

function report(title: string, entries: readonly Entry[], replayOnce: (shuffled: Entry[], seed: number) => Replayed) {
  const total = entries.reduce((sum, { recorded }) => sum + recorded, 0);
  const replays = Array.from({ length: numReplays }, (_, seed) => replayOnce(shuffle(entries, seed), seed));
  print(title, { total, used: replays.map(({ used }) => used), kept: replays });
  return { total, replays };
}

type Figures = { total: number; used: readonly number[]; kept: readonly Replayed[] };

function print(title: string, { total, used, kept }: Figures): void {
  const saved = medianOf(used.map((iterations) => 1 - iterations / total));
  const numKept = kept.filter(({ isBestKept }) => isBestKept).length;
  const { low, high } = wilsonInterval(numKept, kept.length);
  const percents = (rates: readonly number[]) => rates.map((rate) => `${(100 * rate).toFixed(0)} %`).join("–");
  row([title, `${total}`, percents([saved]), `${numKept} of ${kept.length}`, percents([low, high])]);
}

function shuffle<T>(items: readonly T[], seed: number): T[] {
  const rng = split(seed, "replay");
  return items
    .map((item) => ({ item, key: rng.next() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

type Busy = { number: number; untilTime: number };

/** Workers that each train one entry at a time, an iteration of any taking equally long. */
function climb(halving: Halving, entries: readonly Entry[]): Replayed {
  const climbers: Climber[] = [];
  const busy: Busy[] = [];
  for (let time = 0; ;) {
    const step = busy.length < numWorkers ? decideStep(halving, climbers) : { do: "wait" as const };
    if (step.do === "end") break;
    if (step.do === "wait") {
      time = finishNext(entries, climbers, busy);
      continue;
    }
    const number = step.do === "enter" ? climbers.length : step.number;
    const losses = climbers[number]?.losses ?? [];
    climbers[number] = { number, losses, isRunning: true };
    const costs = entries[number]?.costs ?? [];
    busy.push({ number, untilTime: time + (costs[losses.length] ?? 0) - (costs[losses.length - 1] ?? 0) });
  }
  const used = climbers.reduce((sum, { number, losses }) => sum + (entries[number]?.costs[losses.length - 1] ?? 0), 0);
  const numRungs = listRungs(halving).length;
  const whole = climbers.filter(({ losses }) => losses.length === numRungs && losses.every((loss) => loss < Infinity));
  return {
    used,
    isBestKept: hasBest(
      entries,
      whole.map(({ number }) => number),
    ),
  };
}

/** Whoever is through first has its loss; returns when that is. */
function finishNext(entries: readonly Entry[], climbers: Climber[], busy: Busy[]): number {
  const next = busy.toSorted((a, b) => a.untilTime - b.untilTime)[0];
  if (next === undefined) throw new Error("nobody runs and nothing is decided");
  busy.splice(busy.indexOf(next), 1);
  const losses = climbers[next.number]?.losses ?? [];
  const loss = entries[next.number]?.losses[losses.length] ?? Infinity;
  climbers[next.number] = { number: next.number, losses: [...losses, loss], isRunning: false };
  return next.untilTime;
}

/** Seed after seed, in an order of chance, all that are left; whoever is surely worse gets no other. */
function raceSeeds(kind: "friedman" | "t", entries: readonly Entry[], seed: number): Replayed {
  const numSeeds = entries[0]?.losses.length ?? 0;
  const order = shuffle(
    Array.from({ length: numSeeds }, (_, i) => i),
    seed + numReplays,
  );
  let left = Array.from(entries.keys());
  let used = 0;
  for (let block = 1; block <= numSeeds; block++) {
    const current = order[block - 1] ?? 0;
    for (const i of left) used += (entries[i]?.costs[current] ?? NaN) - (entries[i]?.costs[current - 1] ?? 0);
    const losses = left.map((i) => order.slice(0, block).map((j) => entries[i]?.losses[j] ?? NaN));
    const standing = race({ kind, level: 0.95, leastBlocks: 2 }, losses);
    left = standing.left.flatMap((i) => left[i] ?? []);
  }
  return { used, isBestKept: hasBest(entries, left) };
}

function hasBest(entries: readonly Entry[], kept: readonly number[]): boolean {
  const best = Math.min(...entries.map(({ finalLoss }) => finalLoss));
  return kept.some((i) => entries[i]?.finalLoss === best);
}

function row([what = "", ...columns]: readonly string[]): void {
  console.log(what.padEnd(54) + columns.map((column) => column.padStart(15)).join(""));
}
