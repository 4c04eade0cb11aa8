import { makeTaskFamily, type TaskFamily } from "#trainer/environments/episode.ts";
import type { Hardware } from "#trainer/hardware/hardware.ts";
import type { SessionOptions } from "#trainer/onnx/session.ts";
import type { PolicyConfig } from "#trainer/policy/config.ts";
import { numParameters } from "#trainer/policy/parameters.ts";
import { openPrograms, programLimits } from "#trainer/programs/openPrograms.ts";
import { runsPython } from "#trainer/programs/runsPython.ts";
import { packagesOf } from "#trainer/spec/environment.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { makeActor, type Actor } from "./acting/actor.ts";
import { makeBehaviour, type Behaviour } from "./acting/behaviour.ts";
import { checkMemoryOfVersions } from "./acting/versions.ts";
import type { Checkpoints, Snapshot } from "./keeping/checkpoints.ts";
import { startClock } from "./clock.ts";
import type { Emitter } from "./keeping/emit.ts";
import { evaluate } from "./acting/evaluate.ts";
import { initialise } from "./learning/initialise.ts";
import type { Interrupt } from "./keeping/interrupt.ts";
import { makeEngine, makeLearner, type Learner } from "./learning/learner.ts";
import type { Samples } from "./acting/samples.ts";
import type { Logged, Starts } from "./keeping/starts.ts";
import { beginState, restoreState, takeSnapshot, type TrainingState } from "./keeping/state.ts";

/** What a run reads and writes beside its spec. */
export type RunContext = {
  log: Emitter;
  samples: Samples;
  checkpoints: Checkpoints;
  /** Initial policies that other runs left. */
  starts?: Starts;
  /** Where to go on from, and where that was found. */
  resumed?: { snapshot: Snapshot; from: string };
  interrupt: Interrupt;
  /** Where graphs run, and where compiled ones are kept. */
  sessionOptions: SessionOptions;
  /** What the machine does meanwhile; nothing of it is logged without. */
  hardware?: Hardware;
  /** Gets the policy of a finished run. */
  folder: string;
  origin: { specHash: string; code: string; host: string; pid: number };
};

/** Everything that acts and learns in a run. */
export type Trainer = {
  family: TaskFamily;
  config: PolicyConfig;
  learner: Learner;
  /** The policy in front of its environment, with live parameters. */
  acting: Actor;
  /** The policies that write training episodes, where they are not the current one. */
  behaviour: Behaviour | undefined;
  state: TrainingState;
  /** Writes the policy as it is where others can load it. */
  exportPolicy(folder: string): void;
  close(): Promise<void>;
};

/**
 * A trainer before its next iteration: from a checkpoint, or from nothing by way of the spec's initialisation and a
 * first evaluation. Both are logged.
 */
export async function prepare(spec: RunSpec, run: RunContext): Promise<Trainer> {
  const { log, resumed } = run;
  const check = (): void => run.interrupt.check();
  const { id } = spec.environment;
  const packages = { names: packagesOf(spec.environment), folder: process.env["ARLARENA_PYTHON_PACKAGES"] ?? "." };
  const programs = runsPython(id) ? await openPrograms(programLimits, packages) : undefined;
  const environment = await makeTaskFamily(spec.environment, programs);
  const { actor, encode, family, config, begin, sessionOptions, ...language } = makeActor(
    spec,
    environment,
    run.sessionOptions,
  );
  checkMemoryOfVersions(spec, numParameters(config));
  const engine = makeEngine(config, spec, sessionOptions);
  const learner = makeLearner(config, spec, engine);
  log.emit({
    type: "started",
    ...run.origin,
    numParameters: numParameters(config),
    vocabularySize: config.vocabularySize,
    firstIteration: (resumed?.snapshot.iteration ?? 0) + 1,
  });
  log.note("info", `memory is kept below ${spec.execution.memoryLimitMb} MB by micro-batching`);
  const trainer = (state: TrainingState): Trainer => {
    const acting = actor(state.parameters, check);
    const { versions } = state;
    const behaviour = versions && makeBehaviour(spec, versions, (parameters) => actor(parameters, check));
    const close = async (): Promise<void> => {
      await acting.close();
      await learner.close();
      await programs?.close();
    };
    const exportPolicy = (folder: string): void => language.exportPolicy(folder, state.parameters);
    return { family, config, learner, acting, behaviour, state, exportPolicy, close };
  };
  if (resumed) {
    log.note("info", `resumed after iteration ${resumed.snapshot.iteration} from ${resumed.from}`);
    return trainer(restoreState({ spec, config, engine }, resumed.snapshot));
  }

  // What lies in a model's folder is not in its path, by which a start would be found again.
  const starts = spec.policy.pretrained === undefined ? run.starts : undefined;
  const start = starts?.load(spec);
  if (start) log.note("info", "the initial policy is one that a run with the same start has made already");
  const parameters = start?.parameters ?? begin();
  const parts = { spec, config, family, encode, learner, parameters, actor: actor(parameters, check), check };
  const logged: Logged[] = [];
  for await (const each of start?.logged ?? initialise(parts)) {
    logged.push(each);
    if ("text" in each) log.note(each.level, each.text);
    else log.metrics({ iteration: each.epoch, optimizerStep: 0 }, each.values);
  }
  if (!start && logged.length > 0) starts?.save(spec, config, { parameters, logged });
  const fresh = trainer(beginState({ spec, config, engine }, parameters));
  const clock = startClock();
  const held = { family, iteration: 0, samples: run.samples };
  const evaluation = await clock.time("evaluation", () => evaluate(spec, fresh.acting, held));
  log.metrics(fresh.state, { ...evaluation, "time/evaluationMs": 1000 * clock.seconds("evaluation") });
  if (spec.execution.checkpointEvery > 0) run.checkpoints.save(takeSnapshot(fresh.state, config));
  return fresh;
}
