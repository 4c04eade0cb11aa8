import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { placeOfComputation } from "#trainer/onnx/deviceTensor.ts";
import { contentHash } from "#trainer/spec/canonical.ts";
import { originOf, upTo, type Origin } from "#trainer/spec/origin.ts";
import { specHash, type RunSpec } from "#trainer/spec/run.ts";
import { makeCheckpoints, type Snapshot } from "./keeping/checkpoints.ts";
import { openLog } from "./keeping/emit.ts";
import { interruptedEarly } from "./keeping/interrupt.ts";
import type { RunContext } from "./prepare.ts";
import { train, type Outcome } from "./train.ts";

/** Folders in which the state of an origin may be found. */
export type Places = {
  /** The run's own attempts, this one first. */
  attempts: readonly string[];
  /** Attempts of its origins. */
  origins: readonly string[];
  /** States that runs on this node have computed again; absent where the trainer's code may change. */
  cache?: string;
};

/** A whole run. Where it begins from another run's state, that state is found or computed again first. */
export async function trainFrom(spec: RunSpec, run: RunContext, places: Places): Promise<Outcome> {
  const origin = originOf(spec);
  if (!origin || run.resumed) return train(spec, run);
  const found = findState(origin, run, places) ?? (await computeAgain(origin, run, places));
  return "exit" in found ? found : train(spec, { ...run, begun: found });
}

type Found = { snapshot: Snapshot; from: string };

/** The state as the origin kept it, as an earlier attempt of this run computed it, or as another run did. */
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
  if (cache === undefined) return undefined;
  const key = keyOf({ seal, iteration }, run);
  const from = join(cache, key);
  const snapshot = makeCheckpoints(from, key).at(iteration);
  if (!snapshot) return undefined;
  utimesSync(from, new Date(), new Date());
  return { snapshot, from };
}

/** Part of a run's folder in which its origin is computed again. */
const originPart = (folder: string): string => join(folder, "origin");

/** Trains the origin from its own beginning. Its log is kept beside the run's, and no metric of it is in the run's. */
async function computeAgain(origin: Origin, run: RunContext, places: Places): Promise<Found | Outcome> {
  const { spec, iteration, run: name } = origin;
  const { provider } = spec.execution;
  if (provider !== "cpu") {
    const message = `${name} keeps no state of iteration ${iteration}, and on ${provider} it cannot be computed again exactly`;
    throw new Error(`initialisation.iteration: ${message}; begin after an iteration that its execution.keep names`);
  }
  run.log.note("info", `no state of ${name} after iteration ${iteration} is kept here: it is computed again`);
  const seal = specHash(spec);
  const folder = originPart(places.attempts[0] ?? ".");
  const from = join(folder, "checkpoints");
  const attempts = places.attempts.map(originPart);
  const { folder: _, hardware: __, ...shared } = run;
  const checkpoints = makeCheckpoints(from, seal, { keep: [iteration] });
  const resumed = attempts.flatMap((attempt) => {
    const { snapshot } = makeCheckpoints(join(attempt, "checkpoints"), seal).latest();
    return snapshot && snapshot.iteration < iteration ? [{ snapshot, from: attempt }] : [];
  })[0];
  const log = openOriginLog(folder);
  const again = { ...shared, log, checkpoints, samples: { write: () => {} }, ...(resumed && { resumed }) };
  const outcome = await trainFrom(upTo(iteration, spec), again, { ...places, attempts });
  log.done(outcome.exit, outcome.reason);
  log.close();
  if (outcome.exit === "interrupted") return outcome;
  const snapshot = checkpoints.at(iteration);
  if (!snapshot) throw new Error(`${name} computed again has no state of iteration ${iteration}: ${outcome.reason}`);
  run.interrupt.atDeadline(() => interruptedEarly);
  if (places.cache !== undefined) store(places.cache, keyOf({ seal, iteration }, run), snapshot);
  return { snapshot, from };
}

function openOriginLog(folder: string): RunContext["log"] {
  mkdirSync(folder, { recursive: true });
  return openLog(join(folder, "events.jsonl"));
}

/** Equal code, specification and machine compute equal states. */
function keyOf(state: { seal: string; iteration: number }, run: RunContext): string {
  return contentHash([run.origin.code, placeOfComputation(), state]);
}

const maxBytes = 1e9;

/** Keeps a state for other runs on this node. A failure, for example on a full disk, only costs them its time. */
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

/** Removes the least recently used states until the rest fits. */
function forgetOldestStates(cache: string): void {
  const states = readdirSync(cache).map((name) => {
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
