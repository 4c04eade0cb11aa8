import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { evaluatedMark, evaluateOption, StoredResult } from "#trainer/spec/elsewhere.ts";
import type { Database } from "#server/db/storage/client.ts";
import {
  endEvaluation,
  putBackEvaluations,
  takeEvaluation,
  type StoredEvaluation,
} from "#server/db/runs/evaluations.ts";
import { readAttemptFolders, readRun } from "#server/db/runs/runs.ts";
import { isImported } from "#server/domain/plan/sweep/isImported.ts";

/** The trainer of this machine, as the local launcher starts it. */
export type LocalTrainer = {
  command: readonly string[];
  environment: Readonly<Record<string, string>>;
  lookEveryMs?: number;
};

/** A process that takes longer is stopped; evaluations of small policies take seconds. */
const limitMs = 60 * 60_000;

/**
 * Performs the evaluations that people asked for, one after another, until told to stop. They run beside the slots, on
 * this machine, where the files of finished runs are.
 */
export async function evaluateStored(database: Database, trainer: LocalTrainer, stop: AbortSignal): Promise<void> {
  // Without a database this term ends too; the next one puts back what is still called running.
  const isOut = (): undefined => undefined;
  await putBackEvaluations(database).catch(isOut);
  while (!stop.aborted) {
    const asked = await takeEvaluation(database).catch(isOut);
    if (asked) await perform(asked, { database, trainer, stop }).catch(isOut);
    else await sleep(trainer.lookEveryMs ?? 2000, undefined, { signal: stop }).catch(isOut);
  }
}

type Performing = { database: Database; trainer: LocalTrainer; stop: AbortSignal };

/** Stores the result or the reason for none. After a stop the next term begins it again. */
async function perform(asked: StoredEvaluation, { database, trainer, stop }: Performing): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "arlarena-evaluate-"));
  try {
    const path = join(folder, "request.json");
    await writeFile(path, JSON.stringify(await makeRequest(database, asked)));
    const answer = await run(trainer, [evaluateOption, path], stop);
    if (!stop.aborted) await endEvaluation(database, asked.id, answer);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    if (!stop.aborted) await endEvaluation(database, asked.id, { problem });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function makeRequest(database: Database, { runId, evaluation, iteration }: StoredEvaluation) {
  const [{ spec, seed }, attempts] = await Promise.all([readRun(database, runId), readAttemptFolders(database, runId)]);
  if (isImported(spec)) throw new Error(`run ${runId} was imported: it left no policy here`);
  return {
    spec: { v: 1, seed, ...spec },
    evaluation,
    iteration,
    folders: attempts.map(({ folder }) => folder).toReversed(),
  };
}

function run(
  { command: [program = process.execPath, ...rest], environment }: LocalTrainer,
  args: readonly string[],
  signal: AbortSignal,
): Promise<{ result: StoredResult } | { problem: string }> {
  const options = { env: { ...process.env, ...environment }, signal, timeout: limitMs, maxBuffer: 2 ** 24 };
  return new Promise((resolve) => {
    execFile(program, [...rest, ...args], options, (error, stdout, stderr) => {
      const answered = lineOf(stdout);
      if (answered !== undefined) return resolve({ result: StoredResult.parse(JSON.parse(answered)) });
      resolve({ problem: lineOf(stderr) ?? error?.message ?? "the trainer ended without an answer" });
    });
  });
}

function lineOf(text: string): string | undefined {
  const line = text.split("\n").find((one) => one.startsWith(evaluatedMark));
  return line?.slice(evaluatedMark.length);
}
