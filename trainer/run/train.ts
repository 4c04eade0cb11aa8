import { makeTaskFamily, type TaskFamily } from "#trainer/environments/episode.ts";
import { adaptKlCoef } from "#trainer/objective/reward.ts";
import type { PolicyConfig } from "#trainer/policy/config.ts";
import { makeParameters, numParameters } from "#trainer/policy/parameters.ts";
import { spendingOf } from "#trainer/spec/budget.ts";
import { split } from "#trainer/spec/rng.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { makeActor, type Actor } from "./actor.ts";
import type { Checkpoints, Snapshot } from "./checkpoints.ts";
import { startClock } from "./clock.ts";
import { collect } from "./collect.ts";
import { creditRows } from "./credit.ts";
import type { Emitter } from "./emit.ts";
import { evaluate } from "./evaluate.ts";
import { exportPolicy } from "./exportPolicy.ts";
import { initialise } from "./initialise.ts";
import { Interrupted, type Interrupt } from "./interrupt.ts";
import { makeLearner, type Learner } from "./learner.ts";
import type { Samples } from "./samples.ts";
import { beginState, restoreState, takeSnapshot, type TrainingState } from "./state.ts";
import { describeRollouts, peakMemoryMb } from "./summary.ts";
import { updateCritic, updatePolicy } from "./update.ts";

export type Outcome = { exit: "completed" | "diverged" | "interrupted"; reason: string };

/** What a run reads and writes beside its spec. */
export type RunContext = {
  log: Emitter;
  samples: Samples;
  checkpoints: Checkpoints;
  /** Where to go on from, and where that was found. */
  resumed?: { snapshot: Snapshot; from: string };
  interrupt: Interrupt;
  /** Gets the policy of a finished run. */
  folder: string;
  origin: { specHash: string; code: string; host: string; pid: number };
};

/** Updates in a row that may be skipped for a gradient that is not finite; then the run has diverged. */
const maxSkippedInARow = 10;

type Parts = {
  spec: RunSpec;
  run: RunContext;
  family: TaskFamily;
  config: PolicyConfig;
  learner: Learner;
  acting: Actor;
  state: TrainingState;
};

/**
 * THE LOOP: roll out, credit, update; for the iterations of the budget. Every number it reports is in the log.
 */
async function iterate({ spec, run, family, config, learner, acting, state }: Parts): Promise<Outcome> {
  const { log, checkpoints, samples } = run;
  const check = (): void => run.interrupt.check();
  const { iterations } = spendingOf(spec);
  const { critic, reference, parameters } = state;
  const warmup = spec.method.advantage.kind === "gae" ? spec.method.advantage.criticWarmupIterations : 0;
  let last = takeSnapshot(state, config);
  try {
    for (let iteration = state.iteration + 1; iteration <= iterations; iteration++) {
      const clock = startClock();
      const rollouts = await collect(spec, acting, { family, iteration });
      clock.lap("rollout");
      const scoring = { spec, learner, parameters, reference, ...(critic && { critic }) };
      const credit = await creditRows(scoring, rollouts.kept, state.klCoef);
      clock.lap("logProbs");
      const learned = critic ? await updateCritic({ spec, critic, check }, credit.valueRows, iteration) : {};
      clock.lap("critic");
      const update = { spec, learner, optimizer: state.optimizer, parameters, check };
      const rows = iteration > warmup ? credit.rows : [];
      const step = await updatePolicy(update, rows, { iteration, lossScale: rollouts.lossScale });
      clock.lap("update");
      const isDue = iteration === iterations || iteration % spec.evaluation.every === 0;
      const evaluation = isDue ? await evaluate(spec, acting, { family, iteration, samples }) : {};
      clock.lap("evaluation");

      state.iteration = iteration;
      state.optimizerStep += step.numSteps - step.numSkipped;
      state.skippedInARow =
        step.numSkipped === step.numSteps ? state.skippedInARow + step.numSkipped : step.numSkippedAtEnd;
      const described = describeRollouts(rollouts, credit.rows.length);
      log.metrics(state, {
        ...described.values,
        ...credit.values,
        ...learned,
        ...step.values,
        "update/klCoef": state.klCoef,
        ...evaluation,
        ...clock.times(),
        "throughput/sampledTokensPerSecond": described.sampledTokens / clock.seconds("rollout"),
        "throughput/trainedTokensPerSecond": step.numTokens / clock.seconds("update"),
        "memory/peakMb": peakMemoryMb(),
      });
      if (state.skippedInARow >= maxSkippedInARow) {
        return {
          exit: "diverged",
          reason: `${state.skippedInARow} updates in a row had a gradient that is not finite`,
        };
      }
      const controller = { target: spec.update.klTarget, horizon: spec.update.klHorizon };
      state.klCoef = adaptKlCoef(state.klCoef, credit.klMean, controller, described.numEpisodes);
      last = takeSnapshot(state, config);
      const { checkpointEvery } = spec.execution;
      if (checkpointEvery > 0 && iteration % checkpointEvery === 0) checkpoints.save(last);
    }
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    // The iteration that was under way is forgotten; it will be computed again from the end of the last one.
    if (spec.execution.checkpointEvery > 0) checkpoints.save(last);
    return { exit: "interrupted", reason: `stopped on request after iteration ${last.iteration}` };
  }
  return { exit: "completed", reason: `${iterations} iterations` };
}

/** A whole run, from its spec or from a checkpoint to the last line of its log. */
export async function train(spec: RunSpec, run: RunContext): Promise<Outcome> {
  const { log, samples, interrupt, resumed, checkpoints } = run;
  const check = (): void => interrupt.check();
  const family = makeTaskFamily(spec.environment);
  const { actor, config, encode, tokenizer } = makeActor(spec, family);
  const learner = makeLearner(config, spec);
  const parameters = makeParameters(config, split(spec.seed, "parameters"));
  log.emit({
    type: "started",
    ...run.origin,
    numParameters: numParameters(config),
    vocabularySize: config.vocabularySize,
    firstIteration: (resumed?.snapshot.iteration ?? 0) + 1,
  });
  log.note("info", `memory is kept below ${spec.execution.memoryLimitMb} MB by micro-batching`);
  if (resumed) log.note("info", `resumed after iteration ${resumed.snapshot.iteration} from ${resumed.from}`);

  try {
    if (!resumed) {
      const parts = { spec, config, family, encode, learner, parameters, actor: actor(parameters, check) };
      for await (const { epoch, values } of initialise({ ...parts, check, note: (...text) => log.note(...text) })) {
        log.metrics({ iteration: epoch, optimizerStep: 0 }, values);
      }
    }
    const state = resumed ? restoreState(spec, config, resumed.snapshot) : beginState(spec, config, parameters);
    const acting = actor(state.parameters, check);
    if (!resumed) {
      const clock = startClock();
      const evaluation = await evaluate(spec, acting, { family, iteration: 0, samples });
      clock.lap("evaluation");
      log.metrics(state, { ...evaluation, "time/evaluationMs": 1000 * clock.seconds("evaluation") });
      if (spec.execution.checkpointEvery > 0) checkpoints.save(takeSnapshot(state, config));
    }
    const outcome = await iterate({ spec, run, family, config, learner, acting, state });
    if (outcome.exit === "completed") exportPolicy(run.folder, { config, parameters: state.parameters, tokenizer });
    await state.critic?.close();
    await acting.close();
    return outcome;
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    return { exit: "interrupted", reason: "stopped on request before the first iteration" };
  } finally {
    await learner.close();
  }
}
