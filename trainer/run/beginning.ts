import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { placeOfComputation } from "#trainer/onnx/deviceTensor.ts";
import { contentHash } from "#trainer/spec/canonical.ts";
import { countsEpochs } from "#trainer/spec/metric.ts";
import { originOf, upTo, type Origin } from "#trainer/spec/origin.ts";
import { specHash, type RunSpec } from "#trainer/spec/run.ts";
import { makeCheckpoints, type Snapshot } from "./keeping/checkpoints.ts";
import { openLog } from "./keeping/emit.ts";
import { Interrupted, interruptedEarly, type Interruption } from "./keeping/interrupt.ts";
import { keepLock, releaseLock, requestLock } from "./keeping/lock.ts";
import type { RunContext } from "./prepare.ts";
import { train, type Outcome } from "./train.ts";

/** Folders that may contain the training state from which a branch starts, a state of its origin run. */
export type Places = {
  /** Folders of this run's attempts, the current one first. */
  attempts: readonly string[];
  /** Folders of all attempts of the origin run and of its own origins. */
  origins: readonly string[];
  /** Folder of states that runs on this machine recompute. Absent if the trainer's code may change (development). */
  cache?: string;
};

/** Trains a whole run. A branch first finds or recomputes the state of its origin run. */
export async function trainFrom(spec: RunSpec, run: RunContext, places: Places): Promise<Outcome> {
  const origin = originOf(spec);
  if (!origin || run.resumed) return train(spec, run);
  const found = findState(origin, run, places) ?? (await computeAgain(origin, run, places));
  return "exit" in found ? found : train(spec, { ...run, begun: found });
}

type Found = { snapshot: Snapshot; from: string };

/** Looks in the origin's checkpoints, in earlier attempts of this run, and in the machine's cache. */
function findState(
  { spec, iteration }: Origin,
  run: RunContext,
  { attempts, origins, cache }: Places,
): Found | undefined {
  const seal = specHash(spec);
  for (const folder of [...origins, ...attempts.map(originPart)]) {
    const from = join(folder, "checkpoints");
    const snapshot = makeCheckpoints(from, seal).at(iteration);
    if (snapshot) return { snapshot, from };
  }
  return cache === undefined ? undefined : findCached(cache, keyOf({ seal, iteration }, run), iteration);
}

function findCached(cache: string, key: string, iteration: number): Found | undefined {
  const from = join(cache, key);
  const snapshot = makeCheckpoints(from, key).at(iteration);
  if (!snapshot) return undefined;
  utimesSync(from, new Date(), new Date());
  return { snapshot, from };
}

/** Returns the subfolder of a run's folder in which its origin run is recomputed. */
const originPart = (folder: string): string => join(folder, "origin");

/**
 * Recomputes the origin run's state: trains it from its first iteration, with a separate log. If several runs on one
 * machine need the same state, one process trains and the others wait. If that process is killed or suspended, one of
 * the others continues from its last checkpoint.
 */
async function computeAgain(origin: Origin, run: RunContext, places: Places): Promise<Found | Outcome> {
  const { spec, iteration, run: name } = origin;
  const { provider } = spec.execution;
  if (provider !== "cpu") {
    const message = `${name} has no checkpoint of iteration ${iteration}, and on ${provider} that state cannot be recomputed exactly`;
    throw new Error(`initialisation.iteration: ${message}; start after an iteration in its execution.keep`);
  }
  run.log.note("info", `no state of ${name} after iteration ${iteration} is kept here: it is computed again`);
  const seal = specHash(spec);
  const key = keyOf({ seal, iteration }, run);
  const work = places.cache === undefined ? undefined : join(places.cache, `${key}${workEnding}`);
  const lock = work === undefined ? undefined : await waitForLock(work, { run, iteration, places, key });
  if (lock !== undefined && lock !== "mine" && lock !== "unknown") return lock;
  const folder = originPart(places.attempts[0] ?? ".");
  const attempts = places.attempts.map(originPart);
  const from = work !== undefined && lock === "mine" ? work : join(folder, "checkpoints");
  const { folder: _, hardware: __, groupFile: ___, ...shared } = run;
  const checkpoints = makeCheckpoints(from, seal, { keep: [iteration] });
  const resumed = [from, ...attempts.map((attempt) => join(attempt, "checkpoints"))].flatMap((place) => {
    const { snapshot } = makeCheckpoints(place, seal).latest();
    return snapshot && snapshot.iteration < iteration ? [{ snapshot, from: place }] : [];
  })[0];
  const tell = makeTeller(run, iteration);
  const hold = from === work ? keepLock(work) : undefined;
  const log = openOriginLog(folder, (k) => {
    if (hold?.isHeld() === false) throw new LockLost();
    tell(k);
    if (from === work) writeFileSync(join(work, progressFile), String(k));
  });
  const again = { ...shared, log, checkpoints, episodeFile: { write: () => {} }, ...(resumed && { resumed }) };
  const outcome = await trainFrom(upTo(iteration, spec), again, { ...places, attempts })
    .catch((error: unknown) => {
      if (error instanceof LockLost) return undefined;
      throw error;
    })
    .finally(() => hold?.close());
  if (outcome) log.done(outcome.exit, outcome.reason);
  log.close();
  if (outcome?.exit === "interrupted") return outcome;
  const snapshot = outcome && checkpoints.at(iteration);
  if (!snapshot && hold?.isHeld() === false) return await computeAgain(origin, run, places);
  if (!snapshot) throw new Error(`${name} computed again has no state of iteration ${iteration}: ${outcome?.reason}`);
  run.interrupt.atDeadline(() => interruptedEarly);
  if (places.cache !== undefined) store(places.cache, key, snapshot);
  if (from === work && hold?.isHeld() !== false) releaseLock(work);
  return { snapshot, from };
}

/** Thrown when another process took over the recomputation of the origin run while this process was suspended. */
class LockLost extends Error {}

const workEnding = ".work";
const progressFile = "progress";

type Waiting = { run: RunContext; iteration: number; places: Places; key: string };

/** Waits while another run recomputes the state. `mine`: this run recomputes it; `unknown`: the same without a lock. */
async function waitForLock(
  work: string,
  { run, iteration, places, key }: Waiting,
): Promise<"mine" | "unknown" | Found | Interruption> {
  const tell = makeTeller(run, iteration, " in another run, for which this one waits");
  try {
    for (;;) {
      const lock = requestLock(work);
      const found = places.cache === undefined ? undefined : findCached(places.cache, key, iteration);
      if (found) {
        if (lock === "mine") releaseLock(work);
        return found;
      }
      if (lock !== "taken") return lock;
      tell(readProgress(work));
      await sleep(waitMs);
      run.interrupt.check();
    }
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    return interruptedEarly;
  }
}

const waitMs = 200;

function readProgress(work: string): number {
  try {
    return Number(readFileSync(join(work, progressFile), "utf8"));
  } catch {
    return 0;
  }
}

/** Makes a function that logs progress of the origin run's recomputation, given the iteration, at most ten times. */
function makeTeller({ log }: RunContext, iterations: number, where = ""): (iteration: number) => void {
  let told = -1;
  return (iteration) => {
    const tenth = Math.floor((10 * iteration) / iterations);
    if (tenth <= told) return;
    told = tenth;
    log.note("info", `recomputing iteration ${Math.min(iteration + 1, iterations)} of ${iterations}${where}`);
  };
}

/** Opens the log of the recomputed origin run. `tell` is called with the number of each finished iteration. */
function openOriginLog(folder: string, tell: (iteration: number) => void): RunContext["log"] {
  mkdirSync(folder, { recursive: true });
  const log = openLog(join(folder, "events.jsonl"));
  const metrics: typeof log.metrics = (progress, values) => {
    log.metrics(progress, values);
    if (!Object.keys(values).every(countsEpochs)) tell(progress.iteration);
  };
  return { ...log, metrics };
}

/** Cache key from code, specification, iteration and machine, which determine the state exactly. */
function keyOf(state: { seal: string; iteration: number }, run: RunContext): string {
  return contentHash([run.origin.code, placeOfComputation(), state]);
}

const maxBytes = 1e9;

/** Saves a state in the folder `cache` for other runs. If that fails, as on a full disk, they recompute the state. */
function store(cache: string, key: string, snapshot: Snapshot): void {
  const draft = join(cache, `${key}.${process.pid}.part`);
  try {
    makeCheckpoints(draft, key).save(snapshot);
    if (!existsSync(join(cache, key))) renameSync(draft, join(cache, key));
    forgetOldestStates(cache);
  } catch (error) {
    console.error(`the state was not kept for other runs: ${String(error)}`);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

const dayMs = 86_400_000;
const noThrow = { throwIfNoEntry: false } as const;

/** Keeps the cache within its limit: removes least recently used folders, except work of the last day. */
function forgetOldestStates(cache: string): void {
  const isAtWork = (name: string): boolean =>
    name.endsWith(workEnding) && Number(statSync(join(cache, name), noThrow)?.mtimeMs) > Date.now() - dayMs;
  const names = readdirSync(cache).filter((name) => !isAtWork(name));
  const states = names.map((name) => {
    const folder = join(cache, name);
    const bytes = readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
    return { folder, bytes, usedMs: statSync(folder).mtimeMs };
  });
  let total = 0;
  for (const { folder, bytes } of states.toSorted((a, b) => b.usedMs - a.usedMs)) {
    total += bytes;
    if (total > maxBytes) rmSync(folder, { recursive: true, force: true });
  }
}
