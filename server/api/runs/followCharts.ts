import { type Database, forAll } from "#server/db/storage/client.ts";
import type { Notification, Notifications } from "#server/db/storage/notifications.ts";
import { readSeries, readSeriesSince } from "#server/db/runs/points.ts";
import { readRunIds, readRuns, type RunRow, type RunScope } from "#server/db/runs/runs.ts";
import type { ChartDelta } from "#server/domain/runs/series/chartData.ts";
import { shareOnWire } from "#packages/base";
import { makeDeltas, type ChartCell } from "#server/domain/runs/series/makeCharts.ts";
import { type ChartSelection, decodeCursor, encodeCursor, withOrigins } from "./charts.ts";

export type LiveNews = {
  cursor: string;
  charts: ChartDelta[];
  runs: RunRow[];
  /** True if runs were added or removed, so that the reader must load the charts again. */
  isRegrouped: boolean;
};

type Services = { database: Database; notifications: Notifications };

/** Time in ms during which updates are collected: too short to notice, longer than between a busy sweep's updates. */
const gatherMs = 300;

/** Yields the updates since a position, then each new one. Readers of the same charts share one watch. */
export async function* followCharts(
  services: Services,
  { selection, since, signal }: { selection: ChartSelection; since: string; signal: AbortSignal | undefined },
): AsyncGenerator<LiveNews> {
  const { watch, leave } = join(services, selection);
  let cursor = encodeCursor(decodeCursor(since));
  let seen: Round | undefined;
  try {
    for (;;) {
      const round = await watch.next(seen, signal);
      if (round === undefined) return;
      const news = await round.readNews(seen, cursor);
      cursor = news.cursor;
      seen = round;
      if (news.runs.length > 0 || news.charts.length > 0 || news.isRegrouped) yield news;
    }
  } finally {
    leave();
  }
}

type Watch = {
  /** Returns the newest state once it differs from `seen`; undefined when the reader has left. */
  next: (seen: Round | undefined, signal: AbortSignal | undefined) => Promise<Round | undefined>;
  numReaders: number;
  stop: AbortController;
};

const watches = new WeakMap<Database, Map<string, Watch>>();

function join({ database, notifications }: Services, selection: ChartSelection): { watch: Watch; leave: () => void } {
  const ofDatabase = watches.get(database) ?? new Map<string, Watch>();
  watches.set(database, ofDatabase);
  const key = JSON.stringify(selection);
  const watch = ofDatabase.get(key) ?? forAll(() => makeWatch({ database, notifications }, selection));
  ofDatabase.set(key, watch);
  watch.numReaders += 1;
  const leave = (): void => {
    watch.numReaders -= 1;
    if (watch.numReaders > 0) return;
    watch.stop.abort();
    if (ofDatabase.get(key) === watch) ofDatabase.delete(key);
  };
  return { watch, leave };
}

function makeWatch(services: Services, selection: ChartSelection): Watch {
  const stop = new AbortController();
  let newest: Round | undefined;
  let failure: { error: unknown } | undefined;
  const waiting = new Set<() => void>();
  const wakeAll = (): void => {
    for (const wake of waiting) wake();
  };
  const follow = async (): Promise<void> => {
    for await (const round of makeRounds(services, selection, stop.signal)) {
      newest = round;
      wakeAll();
    }
  };
  // Readers that wait get the error; later readers start a new watch.
  follow().catch((error: unknown) => {
    failure = { error };
    watches.get(services.database)?.delete(JSON.stringify(selection));
    wakeAll();
  });
  const next: Watch["next"] = async (seen, signal) => {
    for (;;) {
      if (failure) throw failure.error;
      if (signal?.aborted) return undefined;
      if (newest !== undefined && newest !== seen) return newest;
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          waiting.delete(wake);
          signal?.removeEventListener("abort", wake);
          resolve();
        };
        waiting.add(wake);
        signal?.addEventListener("abort", wake);
      });
    }
  };
  return { next, numReaders: 0, stop };
}

type Round = {
  cells: readonly ChartCell[];
  /** Returns points since a position, and run rows that differ from those seen. All readers share the result object. */
  readNews: (seen: Round | undefined, since: string) => Promise<LiveNews>;
  /** JSON text of each run's table row, by run id; a text that differs between updates marks a changed row. */
  texts: ReadonlyMap<string, string>;
};

async function* makeRounds(
  { database, notifications }: Services,
  selection: ChartSelection,
  signal: AbortSignal,
): AsyncGenerator<Round> {
  const { scope } = selection;
  let cells = await readRunIds(database, scope);
  for await (const news of coalesce(notifications.subscribe(signal), gatherMs, signal)) {
    if (news.length > 0 && !news.some((one) => concerns(one, scope))) continue;
    const rows = await readRuns(database, scope);
    if (!areOf(cells, rows)) cells = await readRunIds(database, scope);
    yield makeRound(database, { ...selection, cells, rows });
  }
}

/** Key in `told` for readers that have received no update yet. */
const newcomers = {};

function makeRound(database: Database, request: ChartSelection & { cells: ChartCell[]; rows: RunRow[] }): Round {
  const { rows, cells } = request;
  const texts = new Map(rows.map((row) => [row.id, JSON.stringify(row)]));
  // Updates by the last state that a reader has seen; a WeakMap frees those of states without readers.
  const told = new WeakMap<object, Map<string, Promise<LiveNews>>>();
  const makeNews = async (seen: Round | undefined, since: string): Promise<LiveNews> => {
    const delta = await readDelta(database, { ...request, since });
    const runs = seen === undefined ? rows : rows.filter(({ id }) => seen.texts.get(id) !== texts.get(id));
    return shareOnWire({ ...delta, runs, isRegrouped: seen !== undefined && seen.cells !== cells });
  };
  return {
    cells,
    texts,
    readNews: (seen, since) => {
      const bySince = told.get(seen ?? newcomers) ?? new Map<string, Promise<LiveNews>>();
      told.set(seen ?? newcomers, bySince);
      const news = bySince.get(since) ?? forAll(() => makeNews(seen, since));
      bySince.set(since, news);
      return news;
    },
  };
}

/** True if the rows are exactly the runs of these cells, which change only when seeds are added or removed. */
function areOf(cells: readonly ChartCell[], rows: readonly RunRow[]): boolean {
  const ids = new Set(cells.flatMap(({ runIds }) => runIds));
  return ids.size === rows.length && rows.every(({ id }) => ids.has(id));
}

type DeltaRequest = ChartSelection & { cells: readonly ChartCell[]; since: string };

async function readDelta(database: Database, { keys, options, cells, since }: DeltaRequest) {
  const { pool } = database;
  const runIds = cells.flatMap((cell) => cell.runIds);
  const read = await readSeriesSince(pool, { runIds, keys, cursor: decodeCursor(since) });
  const [cursor, changed] = [encodeCursor(read.cursor), read.series];
  const changedRuns = new Set(changed.map((series) => series.runId));
  const concerned = cells.filter((cell) => cell.runIds.some((runId) => changedRuns.has(runId)));
  if (concerned.length === 0) return { cursor, charts: [] };
  const changedKeys = [...new Set(changed.map((series) => series.key))];
  const concernedRuns = { runIds: concerned.flatMap((cell) => cell.runIds), keys: changedKeys };
  const whole = await withOrigins(database, await readSeries(pool, concernedRuns), concernedRuns);
  const begun = await withOrigins(
    database,
    changed.filter(({ isWhole }) => isWhole),
    concernedRuns,
  );
  const news = [...begun, ...changed.filter(({ isWhole }) => !isWhole)];
  return { cursor, charts: makeDeltas(news, whole, { cells: concerned, keys: changedKeys, options }) };
}

function concerns(news: Notification | null, scope: RunScope): boolean {
  if (news === null) return true;
  if ("runId" in scope) return news.runId === undefined || news.runId === scope.runId;
  if ("runIds" in scope) return news.runId === undefined || scope.runIds.includes(news.runId);
  return scope.sweepIds.includes(news.sweepId);
}

/** Time in ms within which notifications with the same cause arrive. */
const togetherMs = 10;

/** Yields items in batches, one per `gatherMs`. The first is empty: it tells that the source is subscribed. */
export async function* coalesce<Item>(
  source: AsyncIterable<Item>,
  gatherMs: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Item[]> {
  const state = { gathered: new Array<Item>(), isOver: false, wake: (): void => undefined };
  const pump = async (): Promise<void> => {
    try {
      for await (const item of source) {
        state.gathered.push(item);
        state.wake();
      }
    } finally {
      state.isOver = true;
      state.wake();
    }
  };
  const pumping = pump();
  // The reading task may fail before it is awaited below; that must not count as an unhandled rejection.
  pumping.catch(() => undefined);
  yield [];
  let lastMs = performance.now();
  const isOpen = (): boolean => !state.isOver && signal?.aborted !== true;
  while (isOpen() || state.gathered.length > 0) {
    if (state.gathered.length === 0) {
      await new Promise<void>((resolve) => {
        state.wake = resolve;
      });
      continue;
    }
    const waitMs = Math.max(togetherMs, lastMs + gatherMs - performance.now());
    if (isOpen()) await new Promise((resolve) => setTimeout(resolve, waitMs));
    lastMs = performance.now();
    yield state.gathered.splice(0);
  }
  if (state.isOver) await pumping;
}
