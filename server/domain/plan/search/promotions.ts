import { formatCount } from "#packages/base";
import { compare, decideStep } from "./halving.ts";
import {
  type RungTrial,
  isControl,
  isControlTrial,
  type Schedule,
  lossOf,
  nextRung,
  type Reached,
  type Verdict,
} from "./schedule.ts";
import { race } from "./racing.ts";

export type Judged = Verdict & { number: number; rung: number };

/**
 * Decides the next step of a search for one method and environment from all results so far. It promotes or stops
 * trials, starts a new trial, or waits. Runs continue training until the decision if rungs are counted in iterations;
 * if rungs are counted in seeds, a trial waits for it.
 */
export function decidePromotions(
  schedule: Schedule,
  trials: readonly RungTrial[],
): { do: "judge"; judged: Judged[] } | { do: "enter" | "wait" } {
  const judged = judge(schedule, trials);
  if (judged.length > 0) return { do: "judge", judged };
  return { do: trials.length < schedule.numEntered ? "enter" : "wait" };
}

function judge(schedule: Schedule, trials: readonly RungTrial[]): Judged[] {
  if (schedule.selection.kind !== "asha") return judgeBrackets(schedule, trials);
  return schedule.of === "iterations" ? judgeFirst(schedule, trials) : promoteNext(schedule, trials);
}

/** Decides about the trial that has waited longest, by its rank among those that had reached the rung by then. */
function judgeFirst(schedule: Schedule, trials: readonly RungTrial[]): Judged[] {
  const first = trials
    .flatMap(({ number, reached }) => reached.map((one) => ({ number, ...one })))
    .filter((one) => isOpen(schedule, one))
    .toSorted((a, b) => a.step - b.step)[0];
  if (first === undefined) return [];
  const there = rankAll(trials, first.rung, first.step);
  return [judgeByRank({ schedule, rung: first.rung, there }, first.number)];
}

/**
 * Promotes one trial by asynchronous successive halving (ASHA): the first candidate from the top rung down. Once
 * every run has ended, the trials that still wait are stopped.
 */
function promoteNext(schedule: Schedule, trials: readonly RungTrial[]): Judged[] {
  const { selection, rungs, numEntered } = schedule;
  if (selection.kind !== "asha") return [];
  const controls = trials.filter(isControlTrial).length;
  const known = trials
    .filter((trial) => !isControlTrial(trial))
    .map((trial) => ({
      number: trial.number,
      losses: trial.reached.map(lossOf),
      isRunning: nextRung(schedule, trial) !== undefined,
      isStopped: trial.reached.at(-1)?.verdict?.kind === "stopped",
    }));
  const step = decideStep({ rungs, factor: selection.factor, numEntered: numEntered - controls }, known);
  if (step.do === "promote") {
    const rung = step.rung - 1;
    const there = rankAll(trials, rung);
    return [{ number: step.number, rung, kind: "promoted", known: numbersOf(there), reason: step.reason }];
  }
  if (step.do !== "end") return [];
  return trials.flatMap(({ number, reached }) => {
    const last = reached.at(-1);
    if (last === undefined || !isOpen(schedule, last)) return [];
    const at = { schedule, rung: last.rung, there: rankAll(trials, last.rung) };
    return [toStop(at, number, "never among the best of those at its rung")];
  });
}

/** Promotes or stops all trials of a bracket (trials compared together) once all of them have reached a rung. */
function judgeBrackets(schedule: Schedule, trials: readonly RungTrial[]): Judged[] {
  const { bracket, numEntered, rungs, selection } = schedule;
  for (let first = 0; first < numEntered; first += bracket) {
    const size = Math.min(bracket, numEntered - first);
    const members = trials.filter(({ number }) => number >= first && number < first + size);
    for (let rung = 0; rung < rungs.length - 1; rung++) {
      const here = members.filter((member) => rung === 0 || reachedAt(member, rung - 1)?.verdict?.kind === "promoted");
      const arrived = here.flatMap((member) => reachedAt(member, rung) ?? []);
      if (members.length < size || arrived.length < here.length) break;
      if (!arrived.some((one) => isOpen(schedule, one))) continue;
      const at = { schedule, rung, there: rankAll(here, rung) };
      if (selection.kind === "friedman" || selection.kind === "t") return judgeRace(at, here);
      return numbersOf(at.there).map((number) => judgeByRank(at, number));
    }
  }
  return [];
}

function isOpen({ rungs }: Schedule, { rung, losses, verdict }: Reached): boolean {
  return verdict === null && losses.length > 0 && rung < rungs.length - 1;
}

function reachedAt({ reached }: RungTrial, rung: number): Reached | undefined {
  return reached.find((one) => one.rung === rung);
}

type Ranked = { number: number; loss: number };

/** Ranks trials with a result at a rung, best first and diverged trials last. Ties keep the order of trial numbers. */
function rankAll(trials: readonly RungTrial[], rung: number, untilStep = Infinity): Ranked[] {
  return trials
    .flatMap(({ number, reached }) => {
      const one = reached.find((result) => result.rung === rung && result.step <= untilStep);
      // Controls (stopped trials that train on) are not compared with other trials at higher rungs.
      const isFree = !reached.some(({ verdict, rung: at }) => verdict?.kind === "letGoOn" && at < rung);
      return one && one.losses.length > 0 && isFree ? [{ number, loss: lossOf(one) }] : [];
    })
    .map(({ number, loss }) => ({ number, loss: Number.isNaN(loss) ? Infinity : loss }))
    .toSorted((a, b) => compare(a.loss, b.loss) || a.number - b.number);
}

function numbersOf(ranked: readonly Ranked[]): number[] {
  return ranked.map(({ number }) => number).toSorted((a, b) => a - b);
}

type AtRung = { schedule: Schedule; rung: number; there: readonly Ranked[] };

/** Promotes the best 1/factor at a rung (at least one trial) and stops the others, and collapsed trials always. */
function judgeByRank(at: AtRung, number: number): Judged {
  const { schedule, rung, there } = at;
  const factor = "factor" in schedule.selection ? schedule.selection.factor : 1;
  const numPromoted = Math.max(1, Math.floor(there.length / factor));
  const rank = there.findIndex((one) => one.number === number);
  const promoted = numPromoted === 1 ? "the best goes on" : `the best ${numPromoted} go on`;
  const reason = `${rank + 1} of ${there.length} at ${describeRung(schedule, rung)}: ${promoted}`;
  if (rank < numPromoted && there[rank]?.loss !== Infinity) {
    return { number, rung, kind: "promoted", known: numbersOf(there), reason };
  }
  return toStop(at, number, reason);
}

function judgeRace(at: AtRung, here: readonly RungTrial[]): Judged[] {
  const { schedule, rung, there } = at;
  const { selection } = schedule;
  if (!("level" in selection)) return [];
  const sound = there.filter(({ loss }) => loss < Infinity).map(({ number }) => number);
  const losses = sound.map(
    (number) => here.find((one) => one.number === number)?.reached.find((r) => r.rung === rung)?.losses ?? [],
  );
  // A seed counts only if every trial has a finite loss with it: a failed run is no evidence about other trials.
  const blocks = (losses[0] ?? []).map((_, i) => i).filter((i) => losses.every((row) => Number.isFinite(row[i])));
  const shared = losses.map((row) => blocks.map((i) => row[i] ?? NaN));
  const standing = race({ ...selection, minBlocks: selection.leastSeeds }, shared);
  const dropped = new Set(standing.dropped.map((i) => sound[i]));
  const best = sound[standing.best];
  const test = selection.kind === "friedman" ? "Friedman's test" : "paired t-tests";
  const seeds = formatCount(blocks.length, "seed");
  return numbersOf(there).map((number) => {
    if (!sound.includes(number)) return toStop(at, number, `collapsed with one of ${describeRung(schedule, rung)}`);
    if (dropped.has(number)) {
      const p = standing.p.toPrecision(2);
      return toStop(at, number, `surely worse than trial ${best} after ${seeds} (${test}, p ${p})`);
    }
    const reason = number === best ? `the best after ${seeds}` : `not surely worse than trial ${best} after ${seeds}`;
    return { number, rung, kind: "promoted", known: numbersOf(there), reason };
  });
}

function toStop({ schedule, rung, there }: AtRung, number: number, reason: string): Judged {
  const known = numbersOf(there);
  // A collapsed trial cannot become a control, so it does not train on.
  const isSound = there.some((one) => one.number === number && one.loss < Infinity);
  return isSound && isControl(schedule, number)
    ? { number, rung, kind: "letGoOn", known, reason }
    : { number, rung, kind: "stopped", known, reason };
}

/** Describes a rung, for example "rung 1 (5 iterations)". */
export function describeRung({ of, rungs }: Pick<Schedule, "of" | "rungs">, rung: number): string {
  return `rung ${rung + 1} (${formatCount(rungs[rung] ?? 0, of === "seeds" ? "seed" : "iteration")})`;
}
