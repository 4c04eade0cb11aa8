import { adaptKlCoef } from "#trainer/objective/reward.ts";
import { spendingOf } from "#trainer/spec/budget.ts";
import { isSaved, type RunSpec } from "#trainer/spec/run.ts";
import { controlsLoops } from "#trainer/spec/sampler.ts";
import { startClock } from "./clock.ts";
import { collect } from "./acting/collect.ts";
import { creditRows } from "./learning/credit.ts";
import { keepGroups } from "./learning/keptGroups.ts";
import { evaluate, evaluateElsewhere, isDueElsewhere } from "./acting/evaluate.ts";
import { Interrupted, interruptedEarly, type Interruption } from "./keeping/interrupt.ts";
import { prepare, type RunContext, type Trainer } from "./prepare.ts";
import { takeSnapshot } from "./keeping/state.ts";
import { describeRollouts, peakMemoryMb } from "./acting/summary.ts";
import { playedFamily, switchPhase } from "./acting/phases.ts";
import { describeTemplates } from "./learning/templates.ts";
import { updateCritic, updatePolicy } from "./learning/update.ts";

export type Outcome = { exit: "completed" | "diverged"; reason: string } | Interruption;

/** Number of consecutive updates skipped for a non-finite gradient after which a run is stopped as diverged. */
const maxSkippedInARow = 10;

/** Trains a whole run to its last iteration and exports the policy. All measurements are in the log. */
export async function train(spec: RunSpec, run: RunContext): Promise<Outcome> {
  try {
    const trainer = await prepare(spec, run);
    const outcome = await iterate(spec, run, trainer);
    if (outcome.exit === "completed" && run.folder !== undefined) await trainer.exportPolicy(run.folder);
    await trainer.close();
    return outcome;
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    return interruptedEarly;
  }
}

/** Main loop of training: each iteration samples rollouts, computes advantages and updates the policy. */
async function iterate(spec: RunSpec, run: RunContext, trainer: Trainer): Promise<Outcome> {
  const { config, state, store } = trainer;
  const { iterations } = spendingOf(spec);
  const isSaving = spec.execution.checkpointEvery > 0;
  let last = {
    iteration: state.iteration,
    snapshot: isSaving && (await takeSnapshot(state, config, store)),
  };
  // Saves the state before the current iteration, which the next attempt recomputes identically.
  const stop = (): Interruption => {
    if (last.snapshot) run.checkpoints.save(last.snapshot);
    return { exit: "interrupted", reason: `stopped on request after iteration ${last.iteration}` };
  };
  run.interrupt.atDeadline(stop);
  try {
    for (let iteration = state.iteration + 1; iteration <= iterations; iteration++) {
      const isDue = iteration === iterations || iteration % spec.evaluation.every === 0;
      await learn({ spec, run, trainer }, iteration, isDue);
      if (state.skippedInARow >= maxSkippedInARow) {
        const reason = `${state.skippedInARow} updates in a row had a gradient that is not finite`;
        return { exit: "diverged", reason };
      }
      last = { iteration, snapshot: isSaving && (await takeSnapshot(state, config, store)) };
      if (last.snapshot && isSaved(spec.execution, iteration)) run.checkpoints.save(last.snapshot);
    }
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    return stop();
  }
  return { exit: "completed", reason: `${iterations} iterations` };
}

type Training = { spec: RunSpec; run: RunContext; trainer: Trainer };

/** Executes one training iteration: changes the trainer's state and logs the iteration's metrics. */
async function learn({ spec, run, trainer }: Training, iteration: number, isDue: boolean): Promise<void> {
  const { family, phases, elsewhere, learner, store, acting, behaviour, state } = trainer;
  const { critic, reference, parameters, optimizer, versions } = state;
  const clock = startClock();
  const check = (): void => run.interrupt.check();
  const played = playedFamily(trainer, state.phase);

  // Dynamic sampling: samples groups of episodes, and filters out groups without signal.
  const rollouts = await clock.time("rollout", () => collect(spec, acting, { family: played, iteration, behaviour }));
  // Advantage design: computes every response token's advantage.
  const scoring = { spec, shape: acting.shape, learner, parameters, reference, critic, versions };
  const credit = await clock.time("logProbs", () => creditRows(scoring, rollouts.kept, state.klCoef));
  // Template collapse: responses that ignore their prompts can still have high entropy, so it is measured separately.
  const templates =
    isDue && (await clock.time("evaluation", () => describeTemplates(scoring, rollouts.kept, iteration)));
  const valued =
    critic && (await clock.time("critic", () => updateCritic({ spec, critic, check }, credit.valueRows, iteration)));
  // Clipping and aggregation: sums the weighted clipped losses of each minibatch, and performs one AdamW step on it.
  const keeping = keepGroups(spec, { iteration, rollouts, rows: credit.rows }, run.groupFile);
  const { maxRowTokens } = acting;
  const update = { spec, maxRowTokens, learner, optimizer, parameters, check, watch: keeping?.watch };
  const rows = iteration > criticWarmupOf(spec) ? credit.rows : [];
  const order = { iteration, lossScale: rollouts.lossScale };
  const step = await clock.time("update", () => updatePolicy(update, rows, order));
  await keeping?.write(acting);
  const held = { family, phases, iteration, episodeFile: run.episodeFile, log: run.log };
  const evaluation = isDue && (await clock.time("evaluation", () => evaluate(spec, acting, held)));
  const others =
    isDueElsewhere(spec, iteration) &&
    (await clock.time("evaluation", () => evaluateElsewhere(spec, acting, { elsewhere, iteration })));

  state.iteration = iteration;
  versions?.keep(iteration, await store.read(parameters));
  state.optimizerStep += step.numSteps - step.numSkipped;
  state.skippedInARow =
    step.numSkipped === step.numSteps ? state.skippedInARow + step.numSkipped : step.numSkippedAtEnd;
  const { numEpisodes, sampledTokens, values } = describeRollouts(rollouts, {
    numRows: credit.rows.length,
    hasScore: played.hasScore,
    isControlled: controlsLoops(spec.rollout, "training"),
  });
  run.log.metrics(state, {
    ...values,
    ...credit.values,
    ...valued,
    ...step.values,
    ...evaluation,
    ...others,
    ...templates,
    ...clock.times(),
    "time/environmentMs": rollouts.environmentMs,
    "update/klCoef": state.klCoef,
    "throughput/sampledTokensPerSecond": sampledTokens / clock.seconds("rollout"),
    "throughput/trainedTokensPerSecond": step.numTokens / clock.seconds("update"),
    "memory/peakMb": peakMemoryMb(),
    ...run.hardware?.sinceLast(),
  });
  switchPhase(spec, { log: run.log, state }, evaluation || {});
  const controller = { target: spec.update.klTarget, horizon: spec.update.klHorizon };
  state.klCoef = adaptKlCoef(state.klCoef, { kl: credit.klMean, numEpisodes }, controller);
}

/** Number of first iterations that train only the critic. */
function criticWarmupOf({ method: { advantage } }: RunSpec): number {
  return advantage.kind === "gae" ? advantage.criticWarmupIterations : 0;
}
