import { makeTaskFamily, type TaskFamily } from "#trainer/environments/episode.ts";
import type { Hardware } from "#trainer/hardware/hardware.ts";
import type { SessionOptions } from "#trainer/onnx/session.ts";
import { findModel, type FoundModel } from "#trainer/policy/hub/findModel.ts";
import type { PolicyConfig } from "#trainer/policy/config.ts";
import { numParameters, type Parameters, type Weights } from "#trainer/policy/parameters.ts";
import { openPrograms, programLimits, type OpenPrograms } from "#trainer/programs/openPrograms.ts";
import { runsPython } from "#trainer/programs/runsPython.ts";
import { elsewhereOf, environmentsOf, packagesOfRun } from "#trainer/spec/elsewhere.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { makeActor, type Actor } from "./acting/actor.ts";
import { makeBehaviour, type Acting, type Behaviour } from "./acting/behaviour.ts";
import { checkMemoryOfVersions } from "./acting/versions.ts";
import type { Checkpoints, Snapshot } from "./keeping/checkpoints.ts";
import { startClock } from "./clock.ts";
import type { Emitter } from "./keeping/emit.ts";
import { evaluate, evaluateElsewhere } from "./acting/evaluate.ts";
import { initialise, type Initialisation } from "./learning/initialise.ts";
import type { Interrupt } from "./keeping/interrupt.ts";
import { makeEngine, makeLearner, type Learner } from "./learning/learner.ts";
import { makeStore } from "./learning/makeStore.ts";
import type { Store } from "./learning/store.ts";
import type { Samples } from "./acting/samples.ts";
import type { Logged, Origin, Start, Starts } from "./keeping/starts.ts";
import { beginState, policyShapes, restoreState, takeSnapshot, type TrainingState } from "./keeping/state.ts";

/** Inputs and outputs of a run besides its spec. */
export type RunContext = {
  log: Emitter;
  samples: Samples;
  checkpoints: Checkpoints;
  /** Initial policies cached by other runs. */
  starts?: Starts;
  /** Checkpoint to resume from, and its place. */
  resumed?: { snapshot: Snapshot; from: string };
  interrupt: Interrupt;
  /** The execution provider, and the cache of compiled graphs. */
  sessionOptions: SessionOptions;
  /** Monitor of the machine; absent: no hardware metrics. */
  hardware?: Hardware;
  /** Folder for the policy of a finished run. */
  folder: string;
  origin: { specHash: string; code: string; host: string; pid: number };
};

/** Everything that acts and learns in a run. */
export type Trainer = {
  family: TaskFamily;
  /** Environments in which the policy is evaluated besides, by name. */
  elsewhere: ReadonlyMap<string, TaskFamily>;
  config: PolicyConfig;
  learner: Learner;
  store: Store;
  /** The policy acting in its environment, with live parameters. */
  acting: Actor;
  /** The policies that sample training episodes, where they differ from the current one. */
  behaviour: Behaviour | undefined;
  state: TrainingState;
  /** Exports the current policy in a loadable form. */
  exportPolicy(folder: string): Promise<void>;
  close(): Promise<void>;
};

/**
 * Prepares a trainer for its next iteration: from a checkpoint, or from scratch through the spec's initialisation and a
 * first evaluation. Both are logged.
 */
export async function prepare(spec: RunSpec, run: RunContext): Promise<Trainer> {
  const { log, resumed } = run;
  const check = (): void => run.interrupt.check();
  const model = await findModelOf(spec, run);
  const programs = await openProgramsOf(spec);
  const environment = await makeTaskFamily(spec.environment, programs);
  const others = new Map<string, TaskFamily>();
  for (const { name, environment: other } of elsewhereOf(spec)) others.set(name, await makeTaskFamily(other, programs));
  const store = makeStore(run.sessionOptions);
  const { actor, encode, family, elsewhere, config, begin, sessionOptions, ...language } = makeActor(
    { spec, environment, elsewhere: others, model },
    { ...run.sessionOptions, store },
  );
  checkMemoryOfVersions(spec, numParameters(config));
  const engine = makeEngine(config, spec, { ...sessionOptions, store });
  const learner = makeLearner(config, spec, engine);
  logStart(run, { config, model });
  log.note("info", `memory is kept below ${spec.execution.memoryLimitMb} MB by micro-batching`);
  if (config.architecture && config.halves) {
    log.note("info", `matrices below adapters are held as the ${config.halves} of their files`);
  }
  const writerOf = (arrays: Parameters): Acting =>
    makeWriter(
      store,
      () => store.hold(arrays, policyShapes(config)),
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
    return { family, elsewhere, config, learner, store, acting, behaviour, state, exportPolicy, close };
  };
  if (resumed) {
    log.note("info", `resumed after iteration ${resumed.snapshot.iteration} from ${resumed.from}`);
    return trainer(await restoreState({ spec, config, engine }, resumed.snapshot));
  }

  const origin = { spec, model: model?.origin };
  const start = loadStart(origin, run);
  const parameters = await store.hold(start?.parameters ?? begin(), policyShapes(config));
  const parts = { spec, config, family, encode, learner, store, parameters, actor: actor(parameters, check), check };
  await initialiseOnce(parts, run, { start, origin });
  const begun = await beginState({ spec, config, engine }, parameters);
  const fresh = trainer({ ...begun, ...(model && { model: model.origin }) });
  log.metrics(fresh.state, await evaluateFirst(spec, fresh, run.samples));
  if (spec.execution.checkpointEvery > 0) run.checkpoints.save(await takeSnapshot(fresh.state, config, store));
  return fresh;
}

/** The interpreter of all environments whose actions are programs. */
async function openProgramsOf(spec: RunSpec): Promise<OpenPrograms | undefined> {
  if (!environmentsOf(spec).some(({ id }) => runsPython(id))) return undefined;
  const folder = process.env["ARLARENA_PYTHON_PACKAGES"] ?? ".";
  return openPrograms(programLimits, { names: packagesOfRun(spec), folder });
}

/** The evaluations before the first iteration. */
async function evaluateFirst(
  spec: RunSpec,
  { acting, family, elsewhere }: Trainer,
  samples: Samples,
): Promise<Record<string, number>> {
  const clock = startClock();
  const evaluation = await clock.time("evaluation", async () => ({
    ...(await evaluate(spec, acting, { family, iteration: 0, samples })),
    ...(await evaluateElsewhere(spec, acting, { elsewhere, iteration: 0 })),
  }));
  return { ...evaluation, "time/evaluationMs": 1000 * clock.seconds("evaluation") };
}

type Started = { config: PolicyConfig; model: FoundModel | undefined };

function logStart({ log, origin, resumed }: RunContext, { config, model }: Started): void {
  log.emit({
    type: "started",
    ...origin,
    numParameters: numParameters(config),
    vocabularySize: config.vocabularySize,
    firstIteration: (resumed?.snapshot.iteration ?? 0) + 1,
    ...(model && { model: model.origin }),
  });
}

function loadStart(origin: Origin, run: RunContext): Start | undefined {
  const start = run.starts?.load(origin);
  if (start) run.log.note("info", "the initial policy is one that a run with the same start has made already");
  return start;
}

/** Logs the initialisation, also for a cached start, and stores a start that it computed. */
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

/** An earlier or rounded policy. Its weights are held from its first episode until it is too old for another. */
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

/** Finds the pretrained model on this node, the same one as in a resumed checkpoint. */
async function findModelOf(
  spec: RunSpec,
  { log, resumed, sessionOptions }: RunContext,
): Promise<FoundModel | undefined> {
  const { pretrained } = spec.policy;
  if (pretrained === undefined) return undefined;
  const before = resumed?.snapshot.model;
  const say = (text: string): void => log.note("info", text);
  const model = await findModel(pretrained, { commit: before?.commit, cacheFolder: sessionOptions.cacheFolder, say });
  if (before && before.sha256 !== model.origin.sha256) {
    throw new Error(
      `policy.pretrained: the files in ${model.folder} are not those that the checkpoint in ${resumed.from} began with: ` +
        `their SHA-256 is ${model.origin.sha256}, it was ${before.sha256}`,
    );
  }
  return model;
}
