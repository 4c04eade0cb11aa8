import { z } from "zod";
import { makeConfined, type Limits } from "#trainer/confined/confine.ts";
import { canonicalJson } from "#trainer/spec/canonical.ts";
import type { Database } from "#server/db/storage/client.ts";
import { readRunIds } from "#server/db/runs/runs.ts";
import { AppError, formatCount, type Owners } from "#packages/base";
import { currentRequester } from "#server/config/requester.ts";
import { valueOfAnswer } from "#server/engine/processes/answers.ts";
import { makePool, type Pool, processArgs } from "#server/engine/processes/pool.ts";
import type { Analyses } from "./analyses.ts";
import { analysisKinds, type AnalysisName } from "#server/domain/analysis/analyses.ts";
import { Progress } from "../progress.ts";
import { makeKeptAnswers } from "./keptAnswers.ts";

export type AnalysisInput<Name extends AnalysisName> = Parameters<Analyses[Name]>[1];
type Results = { [Name in AnalysisName]: Awaited<ReturnType<Analyses[Name]>> };
export type AnalysisResult<Name extends AnalysisName> = Results[Name];

export type Analyst = {
  /** Identical concurrent requests share one computation, which is aborted when the last caller leaves. */
  ask<Name extends AnalysisName>(
    name: Name,
    input: AnalysisInput<Name>,
    signal?: AbortSignal,
  ): Promise<AnalysisResult<Name>>;
  /** Begins an analysis that a browser is about to request; `isLate` true keeps the result some seconds for it. */
  askAhead<Name extends AnalysisName>(
    name: Name,
    input: AnalysisInput<Name>,
    isLate: () => boolean,
  ): Promise<AnalysisResult<Name>>;
  progressOf(name: AnalysisName, input: unknown): RunningAnalysis | null;
  /** Must be called after the stored data change: later requests then do not share a computation that began before. */
  renew(): void;
  close(): void;
};

export type RunningAnalysis = {
  seconds: number;
  limitSeconds: number;
  /** Phase of the computation; undefined while the analysis is queued. */
  progress: Progress | undefined;
};

const gibibyte = 2 ** 30;
/** Limits of one analysis in time and memory: 2,000 runs take some seconds, and no page should wait longer. */
export const analysisLimits: Limits = { cpuMs: 60_000, wallMs: 120_000, memoryBytes: 2 * gibibyte };

/** Time in ms after which an unclaimed analysis is aborted, because the browser may have been closed. */
const joinWithinMs = 30_000;

/**
 * Limits of each pool of processes. A person has two analyses at a time; the third process serves another person, and
 * starts only then.
 */
const poolLimits = { size: 3, sizePerPerson: 2, maxWaiting: 32, what: "analyses", idleMs: 10 * 60_000 };

/** Settings that the processes of analyses do not inherit; `variables`: environment variables that they need. */
export type Site = { databaseUrl: string; variables: Readonly<Record<string, string>> };

/** Performs analyses in separate processes with resource limits, which read the database themselves. */
export function makeAnalyst(database: Database, site: Site, limits = analysisLimits): Analyst {
  const start = () =>
    makeConfined(processArgs({ bundle: "analyses", source: "server/api/analyst/processes/analyses.ts" }), limits);
  const lanes: Record<"short" | "long", Pool> = {
    short: makePool(start, poolLimits),
    long: makePool(start, poolLimits),
  };
  const running = new Map<string, { sinceMs: number; progress: Progress | undefined }>();
  const shared = makeShared();
  const kept = makeKeptAnswers(database);
  let generation = 0;
  const keyOf = (name: AnalysisName, input: unknown): string => `${name} ${canonicalJson(input)}`;

  async function work(name: AnalysisName, input: unknown, { signal, owners }: Shared): Promise<unknown> {
    const key = keyOf(name, input);
    const state = { sinceMs: performance.now(), progress: undefined as Progress | undefined };
    running.set(key, state);
    try {
      const { lane } = analysisKinds[name];
      const onProgress = (told: unknown) => void (state.progress = Progress.parse(told));
      return await kept({ key, name, input, owners, signal }, async () => {
        const answer = await lanes[lane].ask({ ...site, name, input }, signal, { onProgress, owners });
        if (answer.kind === "done") return valueOfAnswer(answer.value);
        throw await refusal(database, { name, input, limits, limit: answer.limit });
      });
    } finally {
      if (running.get(key) === state) running.delete(key);
    }
  }
  const ask = <Name extends AnalysisName>(name: Name, input: AnalysisInput<Name>, caller: Caller) =>
    shared(`${generation} ${keyOf(name, input)}`, (until) => work(name, input, until), caller).then((value) =>
      z.custom<AnalysisResult<Name>>().parse(value),
    );
  return {
    ask: (name, input, signal) => ask(name, input, { signal }),
    askAhead: (name, input, isLate) => ask(name, input, { signal: AbortSignal.timeout(joinWithinMs), isLate }),
    progressOf(name, input) {
      const state = running.get(keyOf(name, input));
      if (state === undefined) return null;
      const seconds = (performance.now() - state.sinceMs) / 1000;
      return { seconds, limitSeconds: limits.wallMs / 1000, progress: state.progress };
    },
    renew: () => void generation++,
    close: () => Object.values(lanes).forEach((lane) => lane.close()),
  };
}

type Missed = { name: AnalysisName; input: unknown; limits: Limits; limit: "time" | "memory" };

const Scoped = z.object({
  sweepIds: z.array(z.string()).optional(),
  id: z.string().optional(),
  runIds: z.array(z.string()).optional(),
});

async function refusal(database: Database, { name, input, limits, limit }: Missed): Promise<AppError> {
  const scope = z.object({ scope: z.unknown() }).safeParse(input);
  const { sweepIds, id, runIds } = Scoped.parse(scope.success && scope.data.scope ? scope.data.scope : input);
  const sweeps = sweepIds ?? (id === undefined ? [] : [id]);
  const cells = await readRunIds(database, { sweepIds: sweeps }).catch(() => []);
  const numRuns = runIds?.length ?? cells.reduce((sum, cell) => sum + cell.runIds.length, 0);
  const subject = numRuns > 0 ? formatCount(numRuns, "run") : "the analysis";
  const most = {
    time: `${limits.cpuMs / 1000} s of processor time or ${limits.wallMs / 1000} s in total`,
    memory: `${Number((limits.memoryBytes / gibibyte).toFixed(1))} GiB of memory, or more than the studio's server had`,
  }[limit];
  const advice = sweeps.length > 1 ? "Choose fewer sweeps" : "Choose fewer runs or metrics";
  return new AppError(
    "too_large",
    `${analysisKinds[name].title} could not be computed: ${subject} took more than ${most}. ${advice}, or try again when the server is less busy.`,
  );
}

/** `owners`: people who wait for the result; it grows with their requests. */
type Shared = { signal: AbortSignal; owners: Owners };
type Work = (shared: Shared) => Promise<unknown>;
type Entry = { answer: Promise<unknown>; numWaiting: number; abort: AbortController; owners: Set<string> };

type Caller = {
  signal?: AbortSignal | undefined;
  /** True, once the result is ready, if another caller is about to request it instead of this one. */
  isLate?: (() => boolean) | undefined;
};

/** Time in ms for which a result that was computed ahead of its request is kept. */
const keptMs = 3000;

/** Shares one result among identical requests; aborts when nobody waits. One computed ahead waits for its request. */
function makeShared(): (key: string, work: Work, caller?: Caller) => Promise<unknown> {
  const entries = new Map<string, Entry>();
  const kept = new Map<string, unknown>();

  function keep(key: string, value: unknown): void {
    kept.set(key, value);
    setTimeout(() => kept.delete(key), keptMs).unref();
  }

  function begin(key: string, work: Work): Entry {
    const abort = new AbortController();
    const owners = new Set<string>([currentRequester()]);
    const entry: Entry = { answer: work({ signal: abort.signal, owners }), numWaiting: 0, abort, owners };
    const forget = () => void (entries.get(key) === entry && entries.delete(key));
    entry.answer.then(forget, forget);
    abort.signal.addEventListener("abort", forget);
    entries.set(key, entry);
    return entry;
  }

  return async (key, work, { signal, isLate } = {}) => {
    signal?.throwIfAborted();
    if (kept.has(key)) {
      const value = kept.get(key);
      kept.delete(key);
      return value;
    }
    const entry = entries.get(key) ?? begin(key, work);
    entry.numWaiting += 1;
    entry.owners.add(currentRequester());
    let leave = (): void => undefined;
    const gone = new Promise<never>((_, reject) => {
      leave = () => reject(signal?.reason);
      signal?.addEventListener("abort", leave);
    });
    try {
      const value = await Promise.race([entry.answer, gone]);
      if (isLate?.() === true && entry.numWaiting === 1) keep(key, value);
      return value;
    } finally {
      signal?.removeEventListener("abort", leave);
      entry.numWaiting -= 1;
      // If no other caller waits, the work is aborted; if it is already finished, this has no effect.
      if (entry.numWaiting === 0) entry.abort.abort(signal?.reason);
    }
  };
}
