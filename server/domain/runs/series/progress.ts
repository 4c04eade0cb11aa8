import type { Series } from "#packages/statistics";
import type { SummedAxis } from "./chartData.ts";

/**
 * Cumulative steps, tokens, episodes or milliseconds at each iteration, from 0 at iteration 0 to the last that logged
 * the metrics.
 */
type Course = Float64Array;

export type Progress = {
  cells: { cellId: number; course: Course }[];
  runs: { runId: string; course: Course }[];
  /** Runs whose logs lack the metrics. */
  numWithout: number;
};

type Rule = {
  keys: readonly string[];
  /** Returns the increment of one iteration, from the values of the metrics in `keys`. */
  add: (values: readonly number[]) => number;
};

const sampledTokens = ["throughput/sampledTokensPerSecond", "time/rolloutMs"];
/** Throughput × seconds is a whole number, apart from rounding errors. */
const countTokens = ([perSecond = NaN, ms = NaN]: readonly number[]): number => Math.round((perSecond * ms) / 1000);

const rules: Record<SummedAxis, Rule> = {
  step: {
    keys: ["update/numSteps", "update/skippedSteps"],
    add: ([taken = NaN, skipped = NaN]) => taken - skipped,
  },
  tokens: { keys: sampledTokens, add: countTokens },
  episodes: {
    keys: [...sampledTokens, "rollout/responseTokens", "rollout/episodeTurns"],
    add: ([perSecond = NaN, ms = NaN, tokensPerTurn = NaN, turns = NaN]) =>
      Math.round(countTokens([perSecond, ms]) / (tokensPerTurn * turns)),
  },
  time: { keys: ["time/iterationMs"], add: ([ms = NaN]) => ms },
};

export function keysOfAxis(axis: SummedAxis): readonly string[] {
  return rules[axis].keys;
}

/**
 * A configuration advances by the mean increment over the runs that reach an iteration, so that it never decreases when
 * runs end.
 */
export function measureProgress(
  series: readonly Series[],
  cells: readonly { cellId: number; runIds: readonly string[] }[],
  axis: SummedAxis,
): Progress {
  const index = new Map(series.map((one) => [`${one.key} ${one.runId}`, one]));
  const runs = cells.flatMap(({ runIds }) =>
    runIds.flatMap((runId) => {
      const course = sumUp(
        rules[axis].keys.map((key) => index.get(`${key} ${runId}`)),
        rules[axis].add,
      );
      return course === undefined ? [] : [{ runId, course }];
    }),
  );
  const courseOf = new Map(runs.map(({ runId, course }) => [runId, course]));
  const numRuns = cells.reduce((sum, { runIds }) => sum + runIds.length, 0);
  return {
    runs,
    cells: cells.flatMap(({ cellId, runIds }) => {
      const courses = runIds.flatMap((runId) => courseOf.get(runId) ?? []);
      return courses.length === 0 ? [] : [{ cellId, course: meanCourse(courses) }];
    }),
    numWithout: numRuns - runs.length,
  };
}

/** Sums increments up to the first iteration without the required metrics; undefined if that is the very first. */
function sumUp(columns: readonly (Series | undefined)[], add: Rule["add"]): Course | undefined {
  const lookups = columns.map(
    (one) => new Map(one && Array.from(one.iterations, (at, i) => [at, one.values[i] ?? NaN])),
  );
  const course = [0];
  for (let iteration = 1; ; iteration++) {
    const added = add(lookups.map((values) => values.get(iteration) ?? NaN));
    if (!Number.isFinite(added)) break;
    course.push((course.at(-1) ?? 0) + added);
  }
  return course.length === 1 ? undefined : Float64Array.from(course);
}

function meanCourse(courses: readonly Course[]): Course {
  const mean = new Float64Array(Math.max(...courses.map(({ length }) => length)));
  for (let i = 1; i < mean.length; i++) {
    const reaching = courses.filter(({ length }) => length > i);
    const added = reaching.reduce((sum, course) => sum + (course[i] ?? 0) - (course[i - 1] ?? 0), 0);
    mean[i] = (mean[i - 1] ?? 0) + added / reaching.length;
  }
  return mean;
}
