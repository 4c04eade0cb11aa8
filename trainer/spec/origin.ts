import { spendingOf } from "./budget.ts";
import { canonicalJson, contentHash } from "./canonical.ts";
import type { EnvironmentSpec } from "./environment.ts";
import type { CellSpec, RunSpec } from "./run.ts";

/**
 * Origin of a run: the run and iteration from which it starts, with the whole training state (branch), or only with
 * the policy (start).
 */
export type Origin = { kind: "branch" | "start"; run: string; iteration: number; spec: RunSpec };

/** Returns a run's origin; undefined if the run initialises its own policy or the origin's specification is missing. */
export function originOf({ initialisation }: CellSpec): Origin | undefined {
  if (initialisation.kind !== "branch" && initialisation.kind !== "run") return undefined;
  const { kind, run, iteration, origin } = initialisation;
  return origin && { kind: kind === "run" ? "start" : kind, run, iteration, spec: origin };
}

/** Returns the names of a run's origin run, of that run's origin, and so on, nearest first. */
export function lineOf(spec: CellSpec): string[] {
  const origin = originOf(spec);
  return origin ? [origin.run, ...lineOf(origin.spec)] : [];
}

/** True if a specification names the run from which it starts, but does not include that run's specification yet. */
export function isOriginMissing(spec: CellSpec): boolean {
  const { kind } = spec.initialisation;
  return (kind === "branch" || kind === "run") && originOf(spec) === undefined;
}

/**
 * Returns the specification of the run that initialised the policy from scratch. Its environment determines the
 * policy's vocabulary and positions.
 */
export function rootOf(spec: RunSpec): RunSpec {
  const origin = originOf(spec);
  return origin ? rootOf(origin.spec) : spec;
}

/**
 * Seed of a run's random streams in training. In a branch, it is derived from the continuation number: 0 continues
 * the origin run's streams, any other number has new streams.
 */
export function chanceOf(spec: RunSpec): number | string {
  const origin = originOf(spec);
  if (origin?.kind !== "branch") return spec.seed;
  return spec.seed === 0 ? chanceOf(origin.spec) : `${chanceOf(origin.spec)}~${spec.seed}`;
}

/**
 * Integer seed of a run, for external trainers that require one. Continuation 0 of a branch has its origin run's
 * seed; every other continuation has a seed of its own.
 */
export function wholeSeedOf(spec: RunSpec): number {
  const chance = chanceOf(spec);
  return typeof chance === "number" ? chance : Number.parseInt(contentHash(chance).slice(0, 7), 16);
}

/** Seed of the random streams of evaluations, which is equal in all branches of a run. */
export function panelSeedOf(spec: RunSpec): number {
  const origin = originOf(spec);
  return origin?.kind === "branch" ? panelSeedOf(origin.spec) : spec.seed;
}

/**
 * Returns the specification that only recomputes a run's training state after an iteration. Settings that do not
 * affect this state are reduced to a minimum.
 */
export function upTo(iteration: number, spec: RunSpec): RunSpec {
  const { numDemonstrations } = spendingOf(spec);
  const { initialisation, execution } = spec;
  return {
    ...spec,
    ...("numEpisodes" in initialisation && {
      initialisation:
        numDemonstrations === 0 ? { kind: "scratch" } : { ...initialisation, numEpisodes: numDemonstrations },
    }),
    budget: { iterations: iteration, split: null },
    evaluation: {
      ...spec.evaluation,
      // Evaluations affect the training state only if a curriculum's phase ends at a success rate. Otherwise they are
      // reduced to a minimum.
      ...(!readsSuccess(spec.environment) && { every: Math.max(1, iteration), numEpisodes: 1 }),
      unseenEpisodes: 0,
      // The other environments must remain in the specification, because their words are part of the policy's
      // vocabulary.
      elsewhere: spec.evaluation.elsewhere?.map((one) => ({ ...one, numEpisodes: 1 })),
    },
    execution: { ...execution, checkpointEvery: execution.checkpointEvery || 10, keep: [iteration], numSamples: 0 },
  };
}

function readsSuccess(environment: EnvironmentSpec): boolean {
  return environment.id === "curriculum" && environment.phases.some(({ until }) => until?.success !== undefined);
}

/**
 * Finds the reasons why a run cannot store training states, or cannot start from its origin run's state. Vocabulary
 * and positions are compared later, when the trainer starts.
 */
export function stateConflictsOf(cell: CellSpec): { path: string; message: string }[] {
  const { keep, checkpointEvery } = cell.execution;
  const message = "no checkpoint is kept while execution.checkpointEvery is 0: set it to 1 or more";
  const unkept = keep !== undefined && checkpointEvery === 0 ? [{ path: "execution.keep", message }] : [];
  return [...unkept, ...originConflictsOf(cell)];
}

type Conflict = { path: string; message: string };

function originConflictsOf(cell: CellSpec): Conflict[] {
  const { initialisation, policy, trainer } = cell;
  if (initialisation.kind !== "branch" && initialisation.kind !== "run") return [];
  const { run, origin } = initialisation;
  // A sweep file may contain only the run's name; its specification is added when the sweep is created.
  if (!origin) return [];
  if (trainer?.name !== origin.trainer?.name) {
    const [own, its] = [trainer, origin.trainer].map((one) => (one ? `"${one.name}"` : "the built-in trainer"));
    const remedy = origin.trainer ? `set it to ${its}` : "leave trainer out";
    return [{ path: "trainer.name", message: `is ${own}, but ${run} was trained by ${its}; ${remedy}` }];
  }
  // Iteration counts are compared only for the built-in trainer: external trainers count their own steps, and their
  // command's code compares these.
  const found = trainer ? [] : iterationConflictsOf(cell, origin);
  for (const key of ["pretrained", "size", "positions", "loraRank", "loraAlpha", "loraTargets"] as const) {
    const [own, its] = [canonicalJson(policy[key] ?? null), canonicalJson(origin.policy[key] ?? null)];
    if (own === its) continue;
    const message = `is ${own}, but the policy of ${run} has ${its}: set it to ${its}, or start without that run`;
    found.push({ path: `policy.${key}`, message });
  }
  return found;
}

function iterationConflictsOf(cell: CellSpec, origin: RunSpec): Conflict[] {
  const { kind, run, iteration } = { run: "", iteration: 0, ...cell.initialisation };
  const found: Conflict[] = [];
  const { iterations } = spendingOf(origin);
  if (iteration > iterations) {
    const message = `is ${iteration}, must be at most ${iterations}, the number of iterations of ${run}`;
    found.push({ path: "initialisation.iteration", message });
  }
  const planned = spendingOf(cell).iterations;
  if (kind === "branch" && planned <= iteration) {
    const message = `the branch ends at iteration ${planned}, must end after iteration ${iteration}: its origin's iterations count as well`;
    found.push({ path: cell.budget.split === null ? "budget.iterations" : "budget.split", message });
  }
  return found;
}
