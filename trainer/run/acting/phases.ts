import type { TaskFamily } from "#trainer/environments/episode.ts";
import type { CurriculumSpec } from "#trainer/spec/environment.ts";
import { partsOf } from "#trainer/spec/environmentParts.ts";
import { canonicalJson } from "#trainer/spec/canonical.ts";
import { originOf } from "#trainer/spec/origin.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import type { Snapshot } from "#trainer/run/keeping/checkpoints.ts";

/** Phase of a curriculum: its index from 0, and its first iteration. */
export type Phase = { index: number; since: number };

/** First phase of a curriculum, from iteration `since`; undefined for another environment. */
export function firstPhase({ environment }: RunSpec, since = 1): Phase | undefined {
  return environment.id === "curriculum" ? { index: 0, since } : undefined;
}

/** Environment of the training episodes: the current phase's, or else the run's. */
export function playedFamily({ family, phases }: { family: TaskFamily; phases: readonly TaskFamily[] }, phase?: Phase) {
  return (phase && phases[phase.index]) ?? family;
}

/**
 * Returns the curriculum phase of a loaded training state. A branch may have another curriculum than the origin run
 * whose state it loads. It continues the origin's phase if both curricula have the same environment there, and
 * otherwise begins with the first phase.
 */
export function storedPhase(spec: RunSpec, { iteration, scalars }: Snapshot): Phase | undefined {
  const first = firstPhase(spec, iteration + 1);
  const { phase: index, phaseSince: since } = scalars;
  if (first === undefined || index === undefined || since === undefined) return first;
  const origin = originOf(spec);
  if (origin?.kind !== "branch" || origin.iteration !== iteration) return { index, since };
  const environmentAt = ({ environment }: RunSpec): string =>
    canonicalJson(partsOf(environment)[index]?.environment ?? null);
  return environmentAt(spec) === environmentAt(origin.spec) ? { index, since } : first;
}

type Log = { change(iteration: number, text: string): void };

/** Switches to the curriculum's next phase if the completed iteration ends the current one, and logs the switch. */
export function switchPhase(
  spec: RunSpec,
  { log, state }: { log: Log; state: Completed },
  values: Readonly<Record<string, number>>,
): void {
  const next = nextPhase(spec, state, values);
  if (!next) return;
  state.phase = next.phase;
  log.change(next.phase.since, next.text);
}

type Completed = { iteration: number; phase?: Phase };
type Ended = { phase: Phase; text: string };

/**
 * Returns the next phase if the completed iteration ends the current one, else undefined. The success rate is read
 * only from regular evaluations. A run's last iteration adds an evaluation, which must not cause a switch that a
 * longer run would not make.
 */
function nextPhase(
  { environment, evaluation }: RunSpec,
  { iteration, phase }: Completed,
  values: Readonly<Record<string, number>>,
): Ended | undefined {
  if (environment.id !== "curriculum" || !phase) return undefined;
  const success = iteration % evaluation.every === 0 ? successIn(environment, phase, values) : undefined;
  const why = whyEnded(environment.phases[phase.index]?.until, { numDone: iteration + 1 - phase.since, success });
  if (why === undefined) return undefined;
  const index = phase.index + 1;
  const [before, after] = partsOf(environment).slice(phase.index, index + 1);
  const text = `phase ${after?.name} (${index + 1} of ${environment.phases.length}) begins: ${before?.name} ${why}`;
  return { phase: { index, since: iteration + 1 }, text };
}

function successIn(
  environment: CurriculumSpec,
  { index }: Phase,
  values: Readonly<Record<string, number>>,
): number | undefined {
  return values[`evaluation/in/${partsOf(environment)[index]?.name}/successRate`];
}

function whyEnded(
  until: CurriculumSpec["phases"][number]["until"],
  { numDone, success }: { numDone: number; success: number | undefined },
): string | undefined {
  const { iterations, success: wanted } = until ?? {};
  if (wanted !== undefined && success !== undefined && success >= wanted) {
    return `has a success rate of ${Number(success.toFixed(4))}, at least ${wanted}`;
  }
  return iterations !== undefined && numDone >= iterations ? `had ${numDone} iterations` : undefined;
}
