import { meanOf } from "#trainer/spec/averages.ts";
import { partsOf } from "#trainer/spec/environmentParts.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { countBehaviour, repeatedNgrams, transitionEntropy, writeTrace, type Trace } from "#trainer/spec/trace.ts";
import type { Emitter } from "#trainer/run/keeping/emit.ts";
import { executedTurns, type EpisodeRecord, type GroupRecord } from "./rollout.ts";

export type TraceLog = { log: Pick<Emitter, "traces" | "note"> };

/** Maximum length of the traces in one line, below the longest line that the studio reads (1 MiB). */
const maxTracesLength = 1_000_000;

type Played = { iteration: number; groups: readonly GroupRecord[]; unseen?: true };

/** Logs the actions of all episodes of an evaluation: one line per component of a mixture. */
export function logTraces(spec: RunSpec, log: TraceLog["log"], { iteration, groups, unseen }: Played): void {
  if (spec.execution.traces === false) return;
  for (const part of new Set(groups.map((group) => group.part?.name))) {
    const own = groups.filter((group) => group.part?.name === part);
    const environment = environmentOf(spec, part);
    const tasks = own.map(({ seed, episodes }): [number, ...Trace[]] => [
      seed,
      ...episodes.map((episode) => traceOf(environment, episode)),
    ]);
    if (JSON.stringify(tasks).length > maxTracesLength) {
      const text = `The actions of ${tasks.length} tasks after iteration ${iteration} are not logged: together they exceed ${maxTracesLength} characters. Evaluate fewer episodes.`;
      log.note("warning", text);
      continue;
    }
    log.traces({ iteration, environment, ...(part !== undefined && { part }), ...(unseen && { unseen }), tasks });
  }
}

/** Metrics of the actions in all episodes of an evaluation; empty if they are not logged. */
export function describeActions(spec: RunSpec, groups: readonly GroupRecord[]): Record<string, number> {
  if (spec.execution.traces === false) return {};
  const traces = groups.flatMap(({ part, episodes }) =>
    episodes.map((episode) => traceOf(environmentOf(spec, part?.name), episode)),
  );
  const { episodes, turns, revisits, repeats, earlyEnds, transitions, sequences } = countBehaviour(traces);
  const responses = groups.flatMap((group) => group.episodes.flatMap(executedTurns));
  const repetition = responses.flatMap(({ response }) => repeatedNgrams(response) ?? []);
  return {
    revisitRate: revisits / turns,
    loopRate: repeats / turns,
    distinctRate: sequences.size / episodes,
    earlyEndRate: earlyEnds / episodes,
    transitionEntropy: transitionEntropy(transitions),
    ...(repetition.length > 0 && { repetitionRate: meanOf(repetition) }),
  };
}

function traceOf(environment: string, episode: EpisodeRecord): Trace {
  const { isSuccess, isAtLimit = false } = episode;
  return writeTrace(environment, executedTurns(episode), isSuccess ? "success" : isAtLimit ? "limit" : "ended");
}

function environmentOf({ environment }: RunSpec, part: string | undefined): string {
  return partsOf(environment).find(({ name }) => name === part)?.environment.id ?? environment.id;
}
