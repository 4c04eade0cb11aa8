import { makeTaskFamily } from "#trainer/environments/episode.ts";
import { makeAdamW } from "#trainer/objective/optimizer.ts";
import { makeParameters, numParameters, parameterLayout } from "#trainer/policy/parameters.ts";
import { split } from "#trainer/spec/rng.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { makeActor } from "./actor.ts";
import { clone, demonstrate } from "./clone.ts";
import { collect } from "./collect.ts";
import type { Emitter } from "./emit.ts";
import { evaluate } from "./evaluate.ts";
import { makeLearner } from "./learner.ts";
import { describeEpisodes, describeGroups, withGroup } from "./summary.ts";
import { prepareRows, updatePolicy } from "./update.ts";

export type Outcome = { exit: "completed" | "diverged" | "interrupted"; reason: string };

/** Updates in a row that may be skipped for a gradient that is not finite; then the run has diverged. */
const maxSkippedInARow = 10;

/** A whole run: clone, then collect and update for the iterations of the budget. Every number it reports is in the log. */
export async function train(
  spec: RunSpec,
  log: Emitter,
  isInterrupted: () => boolean,
  origin: { specHash: string; code: string; host: string; pid: number },
): Promise<Outcome> {
  const family = makeTaskFamily(spec.environment);
  const { actor, config, encode } = makeActor(spec, family);
  const learner = makeLearner(config, spec);
  const parameters = makeParameters(config, split(spec.seed, "parameters"));
  const shapes = Object.fromEntries(Object.entries(parameterLayout(config)).map(([name, { shape }]) => [name, shape]));
  log.emit({
    type: "started",
    ...origin,
    numParameters: numParameters(config),
    vocabularySize: config.vocabularySize,
    firstIteration: 1,
  });

  for await (const { epoch, values } of clone(
    { spec, learner, parameters, shapes },
    demonstrate(spec, family, encode),
  )) {
    log.metrics({ iteration: epoch, optimizerStep: 0 }, values);
    if (isInterrupted()) return interrupted(0);
  }
  const referenceParameters = copyOf(parameters);
  const optimizer = makeAdamW(spec.optimizer, shapes);
  const update = { spec, learner, optimizer, parameters };
  const acting = actor(parameters);
  let optimizerStep = 0;
  let skippedInARow = 0;
  log.metrics(
    { iteration: 0, optimizerStep },
    await timed("evaluation", () => evaluate(spec, acting, { family, iteration: 0 })),
  );

  for (let iteration = 1; iteration <= spec.budget.iterations; iteration++) {
    if (isInterrupted()) return interrupted(iteration - 1);
    const clock = startClock();
    const { generated, kept, numTries } = await collect(spec, acting, { family, iteration });
    const rolloutMs = clock.lap();
    const { rows, entropyMean } = await prepareRows(update, kept, referenceParameters);
    const logProbsMs = clock.lap();
    const step = await updatePolicy(update, rows, iteration);
    const updateMs = clock.lap();
    optimizerStep += step.numSteps - step.numSkipped;
    skippedInARow = step.numSkipped === step.numSteps ? skippedInARow + step.numSkipped : step.numSkippedAtEnd;
    const isLast = iteration === spec.budget.iterations;
    const evaluation =
      isLast || iteration % spec.evaluation.every === 0
        ? await timed("evaluation", () => evaluate(spec, acting, { family, iteration }))
        : {};
    const episodes = generated.flatMap((group) => group.episodes);
    const sampledTokens = episodes.flatMap((episode) => episode.turns).reduce((n, turn) => n + turn.response.length, 0);
    log.metrics(
      { iteration, optimizerStep },
      {
        ...withGroup("rollout", { ...describeEpisodes(episodes), numRows: rows.length }),
        ...withGroup("group", {
          ...describeGroups(generated),
          filteredFraction: 1 - kept.length / generated.length,
          numTries,
        }),
        "policy/entropy": entropyMean,
        ...step.values,
        ...evaluation,
        "time/rolloutMs": rolloutMs,
        "time/logProbsMs": logProbsMs,
        "time/updateMs": updateMs,
        "time/iterationMs": clock.total(),
        "throughput/sampledTokensPerSecond": sampledTokens / (rolloutMs / 1000),
        "throughput/trainedTokensPerSecond": step.numTokens / (updateMs / 1000),
      },
    );
    if (skippedInARow >= maxSkippedInARow) {
      return { exit: "diverged", reason: `${skippedInARow} updates in a row had a gradient that is not finite` };
    }
  }
  await learner.close();
  await acting.close();
  return { exit: "completed", reason: `${spec.budget.iterations} iterations` };
}

function interrupted(iteration: number): Outcome {
  return { exit: "interrupted", reason: `stopped on request after iteration ${iteration}` };
}

function copyOf(parameters: Readonly<Record<string, Float32Array>>): Record<string, Float32Array> {
  return Object.fromEntries(Object.entries(parameters).map(([name, values]) => [name, values.slice()]));
}

async function timed(what: string, work: () => Promise<Record<string, number>>): Promise<Record<string, number>> {
  const clock = startClock();
  const values = await work();
  return { ...values, [`time/${what}Ms`]: clock.total() };
}

function startClock() {
  const start = performance.now();
  let last = start;
  return {
    /** Milliseconds since the previous lap. */
    lap(): number {
      const now = performance.now();
      const ms = now - last;
      last = now;
      return ms;
    },
    total: () => performance.now() - start,
  };
}
