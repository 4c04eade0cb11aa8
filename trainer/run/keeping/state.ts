import type { StoredTensors } from "#trainer/policy/checkpoint.ts";
import type { PolicyConfig } from "#trainer/policy/config.ts";
import type { ModelOrigin } from "#trainer/spec/event.ts";
import { originOf } from "#trainer/spec/origin.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { criticFrom, criticShapes } from "#trainer/policy/critic.ts";
import { parameterShapes, type Weights } from "#trainer/policy/parameters.ts";
import type { Snapshot } from "./checkpoints.ts";
import { makeCritic, type Critic, type CriticParts } from "#trainer/run/learning/critic.ts";
import type { Optimizer, Store } from "#trainer/run/learning/store.ts";
import { firstPhase, storedPhase, type Phase } from "#trainer/run/acting/phases.ts";
import { makeVersions, type Versions } from "#trainer/run/acting/versions.ts";

export type NamedArrays = Record<string, Float32Array>;

/** State of a run that training changes in place. A `Snapshot` is a copy of it for checkpoints. */
export type TrainingState = {
  /** Last completed iteration. */
  iteration: number;
  optimizerStep: number;
  /** Curriculum phase of the next iteration. */
  phase?: Phase;
  /** Number of consecutive updates skipped because of a non-finite gradient. */
  skippedInARow: number;
  /** Current coefficient of the KL penalty, which an adaptive controller may change after each iteration. */
  klCoef: number;
  parameters: Weights;
  optimizer: Optimizer;
  /** Frozen reference policy: that at the start of reinforcement learning, or the origin run's. */
  reference: Weights;
  model?: ModelOrigin;
  critic?: Critic;
  /** Older policy versions, if the sampler can differ from the current policy. */
  versions?: Versions;
};

type Shapes = Readonly<Record<string, readonly number[]>>;

/** The initial policy also initialises the critic, and is the reference policy unless another is given. */
export async function beginState(
  parts: CriticParts,
  parameters: Weights,
  reference?: NamedArrays,
): Promise<TrainingState> {
  const { spec, config, engine } = parts;
  const { store } = engine;
  const { advantage } = spec.method;
  const begin = await store.read(parameters);
  const versions = makeVersions(spec, config, { version: 0, parameters: begin });
  const phase = firstPhase(spec);
  return {
    iteration: 0,
    optimizerStep: 0,
    skippedInARow: 0,
    klCoef: spec.update.klCoef,
    parameters,
    optimizer: store.makeOptimizer(spec.optimizer, parameterShapes(config)),
    reference: await (reference ? store.hold(reference, parameterShapes(config)) : store.copy(parameters)),
    ...(advantage.kind === "gae" && {
      critic: makeCritic(parts, advantage, {
        parameters: await store.hold(criticFrom(begin, config), criticShapes(config)),
      }),
    }),
    ...(versions && { versions }),
    ...(phase && { phase }),
  };
}

/** Copies the whole training state, so that training can continue while the copy is written. */
export async function takeSnapshot(state: TrainingState, config: PolicyConfig, store: Store): Promise<Snapshot> {
  const { iteration, optimizerStep, skippedInARow, klCoef, critic, phase } = state;
  const shapes = parameterShapes(config);
  const optimizer = await state.optimizer.state();
  const learned = await critic?.state();
  return {
    iteration,
    scalars: {
      optimizerStep,
      skippedInARow,
      klCoef,
      "optimizer.t": optimizer.t,
      ...(phase && { phase: phase.index, phaseSince: phase.since }),
      ...(learned && { "critic.optimizer.t": learned.optimizer.t }),
    },
    tensors: {
      ...stored("policy", await store.read(state.parameters), shapes),
      ...stored("optimizer.m", optimizer.m, shapes),
      ...stored("optimizer.v", optimizer.v, shapes),
      ...(learned && {
        ...stored("critic", learned.parameters, criticShapes(config)),
        ...stored("critic.optimizer.m", learned.optimizer.m, criticShapes(config)),
        ...stored("critic.optimizer.v", learned.optimizer.v, criticShapes(config)),
      }),
      ...(state.versions && storedVersions(state.versions, shapes)),
    },
    // The reference policy never changes, so it needs no copy.
    reference: named("policy", await store.read(state.reference), shapes),
    ...(state.model && { model: state.model }),
  };
}

/**
 * Restores the training state from a snapshot and takes ownership of its arrays. A branch may have another method
 * than its origin run. If the origin has no critic, the branch's critic starts from the policy's weights. If the
 * branch sets another KL coefficient, that value replaces the origin's adapted coefficient.
 */
export async function restoreState(parts: CriticParts, snapshot: Snapshot): Promise<TrainingState> {
  const { spec, config, engine } = parts;
  const { store } = engine;
  const shapes = parameterShapes(config);
  const { scalars, tensors } = snapshot;
  const { advantage } = spec.method;
  const parameters = loaded("policy", tensors);
  const begin = { version: snapshot.iteration, parameters, earlier: loadedVersions(tensors) };
  const versions = makeVersions(spec, config, begin);
  const phase = storedPhase(spec, snapshot);
  const moments = (owner: string) => ({
    m: loaded(`${owner}.m`, tensors),
    v: loaded(`${owner}.v`, tensors),
    t: scalar(scalars, `${owner}.t`),
  });
  return {
    iteration: snapshot.iteration,
    optimizerStep: scalar(scalars, "optimizerStep"),
    skippedInARow: scalar(scalars, "skippedInARow"),
    klCoef: changesKl(spec, snapshot) ? spec.update.klCoef : scalar(scalars, "klCoef"),
    parameters: await store.hold(parameters, shapes),
    optimizer: store.makeOptimizer(spec.optimizer, shapes, moments("optimizer")),
    reference: await store.hold(loaded("policy", snapshot.reference), shapes),
    ...(snapshot.model && { model: snapshot.model }),
    ...(advantage.kind === "gae" && {
      critic: makeCritic(
        parts,
        advantage,
        hasCritic(snapshot)
          ? {
              parameters: await store.hold(loaded("critic", tensors), criticShapes(config)),
              optimizer: moments("critic.optimizer"),
            }
          : { parameters: await store.hold(criticFrom(parameters, config), criticShapes(config)) },
      ),
    }),
    ...(versions && { versions }),
    ...(phase && { phase }),
  };
}

export function hasCritic({ scalars }: Snapshot): boolean {
  return "critic.optimizer.t" in scalars;
}

function changesKl(spec: RunSpec, { iteration }: Snapshot): boolean {
  const origin = originOf(spec);
  if (origin?.kind !== "branch" || origin.iteration !== iteration) return false;
  const { klCoef, klTarget, klPlacement } = origin.spec.update;
  const own = spec.update;
  return own.klCoef !== klCoef || own.klTarget !== klTarget || own.klPlacement !== klPlacement;
}

/** Older versions as tensors. Their arrays are never mutated, so they are shared, not copied. */
function storedVersions(versions: Versions, shapes: Shapes): StoredTensors {
  return Object.fromEntries(
    [...versions.earlier()].flatMap(([version, arrays]) => Object.entries(named(`version ${version}`, arrays, shapes))),
  );
}

function loadedVersions(tensors: StoredTensors): ReadonlyMap<number, NamedArrays> {
  const numbers = Object.keys(tensors).flatMap((name) => /^version (\d+)\//.exec(name)?.[1] ?? []);
  return new Map([...new Set(numbers)].map((version) => [Number(version), loaded(`version ${version}`, tensors)]));
}

function scalar(scalars: Readonly<Record<string, number>>, name: string): number {
  const x = scalars[name];
  if (x === undefined) throw new Error(`checkpoint: no ${name}`);
  return x;
}

/** Returns copies of arrays as checkpoint tensors with names `owner/…`. */
export function stored(owner: string, arrays: Readonly<NamedArrays>, shapes: Shapes): StoredTensors {
  const copies = Object.entries(arrays).map(([name, values]) => [name, values.slice()] as const);
  return named(owner, Object.fromEntries(copies), shapes);
}

function named(owner: string, arrays: Readonly<NamedArrays>, shapes: Shapes): StoredTensors {
  return Object.fromEntries(
    Object.entries(arrays).map(([name, values]) => [
      `${owner}/${name}`,
      { shape: shapes[name] ?? [values.length], values },
    ]),
  );
}

/** Arrays of the tensors `owner/…`, without a copy: nothing else refers to a loaded checkpoint. */
export function loaded(owner: string, tensors: StoredTensors): NamedArrays {
  const prefix = `${owner}/`;
  const ofPart = Object.entries(tensors).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(ofPart.map(([name, { values }]) => [name.slice(prefix.length), values]));
}
