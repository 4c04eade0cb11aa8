import { makePhase, makeTaskFamily, type TaskFamily } from "#trainer/environments/episode.ts";
import type { Hardware } from "#trainer/hardware/hardware.ts";
import type { SessionOptions } from "#trainer/onnx/session.ts";
import { findModel, type FoundModel } from "#trainer/policy/hub/findModel.ts";
import type { PolicyConfig } from "#trainer/policy/config.ts";
import { numParameters, parameterShapes, type Parameters, type Weights } from "#trainer/policy/parameters.ts";
import { openPrograms, programLimits, type OpenPrograms } from "#trainer/programs/openPrograms.ts";
import { runsPython } from "#trainer/programs/packageArgs.ts";
import { elsewhereOf, environmentsOf, packagesOfJob } from "#trainer/spec/elsewhere.ts";
import type { EnvironmentSpec } from "#trainer/spec/environment.ts";
import { originOf, rootOf } from "#trainer/spec/origin.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { maxLagOf } from "#trainer/spec/sampler.ts";
import { demonstratedIn, shownIn } from "#trainer/spec/start.ts";
import { makeActor, type Actor } from "./acting/actor.ts";
import { makeBehaviour, type Acting, type Behaviour } from "./acting/behaviour.ts";
import { switchPhase } from "./acting/phases.ts";
import { checkMemoryOfVersions } from "./acting/versions.ts";
import type { Checkpoints, Snapshot } from "./keeping/checkpoints.ts";
import { startClock } from "./clock.ts";
import type { Emitter } from "./keeping/emit.ts";
import { evaluate, evaluateElsewhere } from "./acting/evaluate.ts";
import type { GroupFile } from "./keeping/groupFile.ts";
import { initialise, type Initialisation } from "./learning/initialise.ts";
import type { Interrupt } from "./keeping/interrupt.ts";
import { makeEngine, makeLearner, type Learner } from "./learning/learner.ts";
import { makeStore } from "./learning/makeStore.ts";
import type { Store } from "./learning/store.ts";
import type { EpisodeFile } from "./acting/storedEpisodes.ts";
import type { Logged, Origin, Start, Starts } from "./keeping/starts.ts";
import {
  beginState,
  hasCritic,
  loaded,
  type NamedArrays,
  restoreState,
  takeSnapshot,
  type TrainingState,
} from "./keeping/state.ts";

/** Inputs and outputs of a run, besides its specification. */
export type RunContext = {
  log: Emitter;
  episodeFile: EpisodeFile;
  /** Files of training groups; absent if none are kept. */
  groupFile?: GroupFile;
  checkpoints: Checkpoints;
  /** Cache of initial policies that runs on this machine share; absent if nothing is cached. */
  starts?: Starts;
  /** Checkpoint from which this run resumes, with its location. */
  resumed?: Placed;
  /** Another run's training state from which this run starts, with its location. */
  begun?: Placed;
  interrupt: Interrupt;
  /** ONNX Runtime settings: execution provider, threads, and cache folder of compiled graphs. */
  sessionOptions: SessionOptions;
  /** Monitor of processors and GPUs; if absent, no hardware metrics are logged. */
  hardware?: Hardware;
  /** Folder to which the trained policy is exported; if absent, it is not exported. */
  folder?: string;
  origin: { specHash: string; code: string; host: string; pid: number };
};

type Placed = { snapshot: Snapshot; from: string };

/** Everything with which a run samples and trains, ready for its next iteration. */
export type Trainer = {
  /** Environment in which the run is evaluated; in a curriculum, that of the last phase. */
  family: TaskFamily;
  /** Environments of a curriculum's phases in order; empty if the environment is no curriculum. */
  phases: readonly TaskFamily[];
  elsewhere: ReadonlyMap<string, TaskFamily>;
  config: PolicyConfig;
  learner: Learner;
  store: Store;
  /** Current policy with the parameters that are being trained, acting in the environment. */
  acting: Actor;
  /** Policies that sample the training episodes; undefined if the current policy always samples them. */
  behaviour: Behaviour | undefined;
  state: TrainingState;
  /** Exports the current policy to a folder, in a format that other programs load. */
  exportPolicy(folder: string): Promise<void>;
  close(): Promise<void>;
};

/** Prepares training from a checkpoint, another run's state or a new policy; logs its initialisation and evaluation. */
export async function prepare(spec: RunSpec, run: RunContext): Promise<Trainer> {
  const { log, resumed, begun } = run;
  const check = (): void => run.interrupt.check();
  const model = await findModelOf(spec, run);
  const { programs, demonstrated, ...families } = await makeFamilies(spec);
  const store = makeStore(run.sessionOptions);
  const { actor, encode, family, phases, elsewhere, config, begin, sessionOptions, controlTokens, ...language } =
    makeActor({ spec, ...families, model }, { ...run.sessionOptions, store });
  checkMemoryOfVersions(spec, numParameters(config));
  const engine = makeEngine(config, spec, { ...sessionOptions, store });
  const learner = makeLearner(config, spec, { ...engine, ...(spec.execution.traces !== false && { controlTokens }) });
  logStart(run, { spec, config, model });
  log.note("info", `memory is kept below ${spec.execution.memoryLimitMb} MB by micro-batching`);
  if (config.architecture && config.halves) {
    log.note("info", `matrices below adapters are held as the ${config.halves} of their files`);
  }
  const writerOf = (arrays: Parameters): Acting =>
    makeWriter(
      store,
      () => store.hold(arrays, parameterShapes(config)),
      (weights) => actor(weights, check),
    );
  const trainer = (state: TrainingState): Trainer => {
    const acting = actor(state.parameters, check);
    const { versions } = state;
    const behaviour = versions && makeBehaviour(spec, versions, writerOf);
    const close = async (): Promise<void> => {
      await acting.close();
      await learner.close();
      await store.close();
      await programs?.close();
    };
    const exportPolicy = async (folder: string): Promise<void> =>
      language.exportPolicy(folder, await store.read(state.parameters));
    return { family, phases, elsewhere, config, learner, store, acting, behaviour, state, exportPolicy, close };
  };
  const save = async (state: TrainingState): Promise<void> => {
    if (spec.execution.checkpointEvery > 0) run.checkpoints.save(await takeSnapshot(state, config, store));
  };
  const continued = resumed ?? (originOf(spec)?.kind === "branch" ? begun : undefined);
  if (continued) {
    noteContinued(spec, run, continued);
    const state = await restoreState({ spec, config, engine }, continued.snapshot);
    if (!resumed) await save(state);
    return trainer(state);
  }

  const origin = { spec, model: model?.origin };
  const start = begun ? startFrom(begun, log) : loadStart(origin, run);
  const parameters = await store.hold(start?.parameters ?? begin(), parameterShapes(config));
  const parts = { spec, config, encode, learner, store, parameters, actor: actor(parameters, check), check };
  const taught = demonstrated ? language.speak(demonstrated) : (phases[0] ?? family);
  await initialiseOnce({ ...parts, family: taught }, run, { start, origin });
  const state = await beginState({ spec, config, engine }, parameters, begun && referenceOf(spec, begun, log));
  const fresh = trainer({ ...state, ...(model && { model: model.origin }) });
  await evaluateFirst(spec, fresh, run);
  await save(fresh.state);
  return fresh;
}

/**
 * Makes the run's environments and those of another run that trained the policy from scratch, which determine the
 * vocabulary.
 */
export async function makeFamilies(spec: RunSpec) {
  const root = rootOf(spec);
  const programs = await openProgramsOf(spec, root);
  const make = (environment: EnvironmentSpec): Promise<TaskFamily> => makeTaskFamily(environment, programs);
  const { environment } = spec;
  const phases =
    environment.id === "curriculum"
      ? await Promise.all(environment.phases.map((_, i) => makePhase(environment, i, programs)))
      : [];
  const elsewhere = new Map<string, TaskFamily>();
  for (const { name, environment } of elsewhereOf(spec)) elsewhere.set(name, await make(environment));
  const taught = root === spec ? undefined : await Promise.all(environmentsOf(root).map(make));
  return {
    programs,
    environment: phases.at(-1) ?? (await make(environment)),
    phases,
    elsewhere,
    demonstrated: shownIn(spec) === "own" ? undefined : await make(demonstratedIn(spec)),
    root: taught && { spec: root, families: taught },
  };
}

/** Opens Python if actions are programs in the run's environments or those of its policy's first run. */
async function openProgramsOf(spec: RunSpec, root: RunSpec): Promise<OpenPrograms | undefined> {
  if (!runsPython(...environmentsOf(spec), ...environmentsOf(root))) return undefined;
  const folder = process.env["ARLARENA_PYTHON_PACKAGES"] ?? ".";
  return openPrograms(programLimits, { names: packagesOfJob({ spec }), folder });
}

/** Evaluates the policy before the first iteration. The result may already end a curriculum's first phase. */
async function evaluateFirst(
  spec: RunSpec,
  { acting, family, phases, elsewhere, state }: Trainer,
  { log, episodeFile }: RunContext,
): Promise<void> {
  const clock = startClock();
  const evaluation = await clock.time("evaluation", async () => ({
    ...(await evaluate(spec, acting, { family, phases, iteration: 0, episodeFile, log })),
    ...(await evaluateElsewhere(spec, acting, { elsewhere, iteration: 0 })),
  }));
  log.metrics(state, { ...evaluation, "time/evaluationMs": 1000 * clock.seconds("evaluation") });
  switchPhase(spec, { log, state }, evaluation);
}

type Started = { spec: RunSpec; config: PolicyConfig; model: FoundModel | undefined };

function logStart({ log, origin, resumed }: RunContext, { spec, config, model }: Started): void {
  const from = originOf(spec);
  const before = resumed?.snapshot.iteration ?? (from?.kind === "branch" ? from.iteration : 0);
  log.emit({
    type: "started",
    ...origin,
    numParameters: numParameters(config),
    vocabularySize: config.vocabularySize,
    firstIteration: before + 1,
    ...(model && { model: model.origin }),
    ...(from && {
      origin: {
        run: from.run,
        iteration: from.iteration,
        kind: from.kind,
        ...(from.kind === "branch" && { continuation: spec.seed }),
      },
    }),
  });
}

function noteContinued(spec: RunSpec, { log, resumed }: RunContext, { snapshot, from }: Placed): void {
  if (resumed) return log.note("info", `resumed after iteration ${snapshot.iteration} from ${from}`);
  log.note("info", `continues the state after iteration ${snapshot.iteration} in ${from}`);
  if (spec.method.advantage.kind === "gae" && !hasCritic(snapshot)) {
    log.note("warning", "the origin has no critic: this one begins from the policy and predicts 0 at first");
  }
  if (maxLagOf(spec.rollout) > 0) {
    log.note("info", "versions older than those that the origin kept are replaced by its oldest one");
  }
}

function startFrom({ snapshot, from }: Placed, log: Emitter): Start {
  log.note("info", `begins with the policy after iteration ${snapshot.iteration} in ${from}`);
  return { parameters: loaded("policy", snapshot.tensors), logged: [] };
}

/** Returns the origin run's reference policy if the specification keeps it, else undefined. */
function referenceOf({ initialisation }: RunSpec, { snapshot }: Placed, log: Emitter): NamedArrays | undefined {
  if (initialisation.kind !== "run" || initialisation.reference !== "origin") return undefined;
  log.note("info", `keeps the reference policy of ${initialisation.run}`);
  return loaded("policy", snapshot.reference);
}

function loadStart(origin: Origin, run: RunContext): Start | undefined {
  const start = run.starts?.load(origin);
  if (start) run.log.note("info", "the initial policy is one that a run with the same start has made already");
  return start;
}

/** Initialises the policy or takes `start`; logs it in both cases, and caches a new one. */
async function initialiseOnce(
  parts: Initialisation,
  run: RunContext,
  { start, origin }: { start: Start | undefined; origin: Origin },
): Promise<void> {
  const { config, store, parameters } = parts;
  const logged: Logged[] = [];
  for await (const each of start?.logged ?? initialise(parts)) {
    logged.push(each);
    if ("text" in each) run.log.note(each.level, each.text);
    else run.log.metrics({ iteration: each.epoch, optimizerStep: 0 }, each.values);
  }
  if (start || logged.length === 0) return;
  run.starts?.save(origin, config, { parameters: await store.read(parameters), logged });
}

/** Policy with an older version's or rounded weights, which stay in memory until `release`. */
function makeWriter(store: Store, hold: () => Promise<Weights>, act: (weights: Weights) => Actor): Acting {
  let held: Promise<Weights> | undefined;
  const weights = (): Promise<Weights> => (held ??= hold());
  return {
    complete: async (...request) => act(await weights()).complete(...request),
    release: async () => {
      if (held) store.release(await held);
    },
  };
}

/** Finds the run's pretrained model on this machine. Throws if a loaded checkpoint was trained from another model. */
async function findModelOf(
  spec: RunSpec,
  { log, resumed, begun, sessionOptions }: RunContext,
): Promise<FoundModel | undefined> {
  const { pretrained } = spec.policy;
  if (pretrained === undefined) return undefined;
  const known = resumed ?? begun;
  const before = known?.snapshot.model;
  const say = (text: string): void => log.note("info", text);
  const model = await findModel(pretrained, { commit: before?.commit, cacheFolder: sessionOptions.cacheFolder, say });
  if (before && before.sha256 !== model.origin.sha256) {
    throw new Error(
      `policy.pretrained: the files in ${model.folder} are not those that the checkpoint in ${known?.from} began with: ` +
        `their SHA-256 is ${model.origin.sha256}, it was ${before.sha256}`,
    );
  }
  return model;
}
