import { spendingOf } from "./budget.ts";
import { canonicalJson, contentHash } from "./canonical.ts";
import type { EnvironmentSpec } from "./environment.ts";
import type { CellSpec, RunSpec } from "./run.ts";

/** Origin of a run: another run's training state (branch) or policy (start) after an iteration. */
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

/** Returns the specification of the run that made the policy, which determines vocabulary and positions. */
export function rootOf(spec: RunSpec): RunSpec {
  const origin = originOf(spec);
  return origin ? rootOf(origin.spec) : spec;
}

/** Seed of a run's random streams in training. Continuation 0 of a branch continues its origin's streams. */
export function chanceOf(spec: RunSpec): number | string {
  const origin = originOf(spec);
  if (origin?.kind !== "branch") return spec.seed;
  return spec.seed === 0 ? chanceOf(origin.spec) : `${chanceOf(origin.spec)}~${spec.seed}`;
}

/** Integer seed for external trainers. Continuation 0 of a branch has its origin's seed, others have their own. */
export function wholeSeedOf(spec: RunSpec): number {
  const chance = chanceOf(spec);
  return typeof chance === "number" ? chance : Number.parseInt(contentHash(chance).slice(0, 7), 16);
}

/** Seed of the random streams of evaluations, which is equal in all branches of a run. */
export function panelSeedOf(spec: RunSpec): number {
  const origin = originOf(spec);
  return origin?.kind === "branch" ? panelSeedOf(origin.spec) : spec.seed;
}

/** Returns the specification that only recomputes a run's training state, with other settings at a minimum. */
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
      // Evaluations affect the training state only if a curriculum's phase ends at a success rate.
      ...(!readsSuccess(spec.environment) && { every: Math.max(1, iteration), numEpisodes: 1 }),
      unseenEpisodes: 0,
      // The other environments remain, because their words are part of the policy's vocabulary.
      elsewhere: spec.evaluation.elsewhere?.map((one) => ({ ...one, numEpisodes: 1 })),
    },
    execution: { ...execution, checkpointEvery: execution.checkpointEvery || 10, keep: [iteration], numSamples: 0 },
  };
}

function readsSuccess(environment: EnvironmentSpec): boolean {
  return environment.id === "curriculum" && environment.phases.some(({ until }) => until?.success !== undefined);
}

/** Finds why a run cannot store training states, or start from its origin's. The trainer compares vocabularies. */
export function stateConflictsOf(cell: CellSpec): { path: string; message: string }[] {
  const { keep, checkpointEvery } = cell.execution;
  const message = "no checkpoint is kept while execution.checkpointEvery is 0: set it to 1 or more";
  const unkept = keep !== undefined && checkpointEvery === 0 ? [{ path: "execution.keep", message }] : [];
  return [...unkept, ...keepConflictsOf(cell), ...originConflictsOf(cell)];
}

/** Finds states to keep that the run never has, whatever its trainer: all are given the number of iterations. */
function keepConflictsOf(cell: CellSpec): Conflict[] {
  const { keep = [] } = cell.execution;
  const { iterations } = spendingOf(cell);
  const refuse = (path: string, value: number): Conflict[] =>
    value <= iterations
      ? []
      : [{ path, message: `is ${value}, must be at most ${iterations}, the run's number of iterations` }];
  if (!Array.isArray(keep)) return refuse("execution.keep.every", keep.every);
  return keep.flatMap((iteration, i) => refuse(`execution.keep[${i}]`, iteration));
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
  // External trainers count their own steps, which their command's code compares.
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
