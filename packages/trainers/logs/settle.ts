import type { LoggedStep } from "./point.ts";

/** `restartFrom`: the run resumes from this step; values of this and later steps are replaced. */
export type LogLine = LoggedStep & { restartFrom?: number };

/** A restart: the run returned to step `from` when its newest step was `after`. */
export type Restart = { from: number; after: number };

/** Steps of a run, unique and in ascending order, and the run's restarts. */
export type Settled = { steps: LoggedStep[]; restarts: Restart[] };

/**
 * Returns the final measurements of each step of a log, in ascending order; lines of one step are joined. A run has
 * returned to an earlier step if a marker says so. It also has if a frequently logged metric has new values for two
 * different steps before its newest step. All values from the earlier of these two steps on are then replaced. A
 * single new value is a correction, and an equal value is ignored.
 */
export function settle(lines: readonly LogLine[]): Settled {
  const series = makeSeries();
  const restarts: Restart[] = [];
  /** Lines from the newest one on in which a frequently logged metric reached a later step. */
  let recent: { line: LogLine; isContradiction: boolean }[] = [];
  let doubt: { key: string; step: number } | undefined;
  const restart = (from: number, again: readonly LogLine[]) => {
    const after = series.newest();
    series.dropFrom(from);
    for (const line of again) series.put(line);
    if (after !== undefined && after >= from) restarts.push({ from, after });
    [recent, doubt] = [[], undefined];
  };
  for (const line of lines) {
    if (line.restartFrom !== undefined) restart(line.restartFrom, []);
    const contradicted = series.findContradicted(line);
    if (doubt && line.step !== doubt.step && contradicted.includes(doubt.key)) {
      const [from, to] = [Math.min(line.step, doubt.step), Math.max(line.step, doubt.step)];
      const firstAt = recent.findIndex(({ isContradiction }) => isContradiction);
      const again = recent.filter((one, i) => i >= firstAt || one.line.step <= to);
      restart(from, [...again.map((one) => one.line), line]);
      continue;
    }
    if (series.goesOn(line)) [recent, doubt] = [[], undefined];
    doubt ??= series.findGoneBack(line, contradicted);
    recent.push({ line, isContradiction: contradicted.length > 0 });
    series.put(line);
  }
  return { steps: series.steps(), restarts };
}

/** `count`: steps with a metric. `newest`: the newest of these, undefined until recomputed after steps were dropped. */
type Tally = { count: number; newest: number | undefined };

function makeSeries() {
  // Dropped steps stay in the map as undefined, because deleting many entries is slow.
  const byStep = new Map<number, LoggedStep | undefined>();
  /** Steps with values, ascending. */
  const order: number[] = [];
  const tallyOf = new Map<string, Tally>();
  let maxSteps = 0;
  const newest = (key: string): number => {
    const tally = tallyOf.get(key);
    if (tally === undefined || tally.count === 0) return -1;
    tally.newest ??= order.findLast((step) => Object.hasOwn(byStep.get(step)?.values ?? {}, key)) ?? -1;
    return tally.newest;
  };
  const isOfMostSteps = (key: string) => 2 * (tallyOf.get(key)?.count ?? 0) >= maxSteps;
  const count = (key: string, step: number, isKnown: boolean) => {
    const tally = tallyOf.get(key) ?? { count: 0, newest: -1 };
    if (tally.count === 0) tallyOf.set(key, tally);
    if (step > newest(key)) tally.newest = step;
    if (!isKnown) tally.count += 1;
    maxSteps = Math.max(maxSteps, tally.count);
  };
  return {
    newest: () => order.at(-1),
    steps: () => order.flatMap((step) => byStep.get(step) ?? []),
    /** Returns the metrics whose value in this line differs from the known value of the line's step. */
    findContradicted({ step, values }: LoggedStep): string[] {
      const known = byStep.get(step)?.values;
      if (!known) return [];
      return Object.keys(values).filter((key) => Object.hasOwn(known, key) && !Object.is(known[key], values[key]));
    },
    /** True if the line has a later step than all earlier values of some frequently logged metric. */
    goesOn: ({ step, values }: LoggedStep) =>
      Object.keys(values).some((key) => step > newest(key) && isOfMostSteps(key)),
    findGoneBack({ step }: LoggedStep, contradicted: readonly string[]) {
      const key = contradicted.find((one) => step < newest(one) && isOfMostSteps(one));
      return key === undefined ? undefined : { key, step };
    },
    put({ step, values, atMs }: LoggedStep): void {
      const known = byStep.get(step);
      if (!known) insert(order, step);
      for (const key of Object.keys(values)) count(key, step, known !== undefined && Object.hasOwn(known.values, key));
      const times = [known?.atMs, atMs].filter((time) => time !== undefined);
      const joined = known ? Object.assign(known.values, values) : { ...values };
      byStep.set(step, { step, values: joined, ...(times.length > 0 && { atMs: Math.max(...times) }) });
    },
    dropFrom(from: number): void {
      while ((order.at(-1) ?? -1) >= from) {
        const step = order.pop() ?? -1;
        for (const key of Object.keys(byStep.get(step)?.values ?? {})) {
          const tally = tallyOf.get(key);
          if (tally) [tally.count, tally.newest] = [tally.count - 1, undefined];
        }
        byStep.set(step, undefined);
      }
      maxSteps = [...tallyOf.values()].reduce((most, { count }) => Math.max(most, count), 0);
    },
  };
}

function insert(ascending: number[], step: number): void {
  let [low, high] = [0, ascending.length];
  if ((ascending.at(-1) ?? -1) < step) {
    ascending.push(step);
    return;
  }
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) < step) low = middle + 1;
    else high = middle;
  }
  ascending.splice(low, 0, step);
}

export function sayRestarts(restarts: readonly Restart[]): string[] {
  return restarts.map(
    ({ from, after }) =>
      `went back to step ${from} after step ${after}: what was logged again replaces what was before`,
  );
}
