import { z } from "zod";
import { type Answer, makeConfined, type Confined, type Limits } from "#trainer/confined/confine.ts";
import { makePool, type Pool, processArgs } from "#server/engine/processes/pool.ts";
import { AppError } from "#packages/base";
import { valueOfAnswer } from "#server/engine/processes/answers.ts";
import type { ReadImport, ReadRequest } from "./readImport.ts";

const gibibyte = 2 ** 30;
/** Limits that suffice for the largest upload (256 MB) on a machine several times slower than usual. */
const readLimits: Limits = { cpuMs: 900_000, wallMs: 1_800_000, memoryBytes: 3 * gibibyte };
/** Maximum number of lines in the imported files. Reading one line takes about a kilobyte of memory. */
const maxLines = 2_000_000;
/** The pool has one process, because two large files would exceed the memory of a small machine. */
const poolLimits = { size: 1, maxWaiting: 8, what: "imports" };

declare global {
  // Next.js loads a module once per bundle, so a pool in the module would exist several times.
  var arlarenaImportPool: Pool | undefined;
}

/** Runs `readImport` in a separate process. `signal` can abort it, and imports run one at a time. */
export async function readImportElsewhere(request: ReadRequest, signal?: AbortSignal): Promise<ReadImport> {
  globalThis.arlarenaImportPool ??= makePool(() => endedAfterwards(argsOfReader(), readLimits), poolLimits);
  const reader = globalThis.arlarenaImportPool;
  return askReader({ reader, limits: readLimits }, { ...request, maxLines }, signal);
}

/** True while a person's imports wait until another person's import was read. */
export function isImportWaiting(person: string): boolean {
  return globalThis.arlarenaImportPool?.isWaiting(person) === true;
}

type Reader = { ask(request: unknown, signal?: AbortSignal): Promise<Answer> };

/** Sends a request to the reading process. Throws `bad_input` with the exceeded limit, or the reader's own error. */
export async function askReader(
  { reader, limits }: { reader: Reader; limits: Limits },
  request: ReadRequest,
  signal?: AbortSignal,
): Promise<ReadImport> {
  const answer = await reader.ask(request, signal);
  if (answer.kind === "missed") throw refusal(limits, answer.limit);
  return z.custom<ReadImport>().parse(valueOfAnswer(answer.value));
}

/** Makes a process that is ended after each request, which frees the memory used for a large file. */
function endedAfterwards(args: readonly string[], limits: Limits): Confined {
  const confined = makeConfined(args, limits);
  return {
    ask: (request, signal) => confined.ask(request, signal).finally(() => confined.close()),
    close: () => confined.close(),
  };
}

export function argsOfReader(): string[] {
  return processArgs({ bundle: "imports", source: "server/engine/trainers/processes/imports.ts" });
}

function refusal({ cpuMs, wallMs, memoryBytes }: Limits, limit: "time" | "memory"): AppError {
  const most = {
    time: `${cpuMs / 60_000} minutes of processor time (${wallMs / 60_000} minutes in all)`,
    memory: `${memoryBytes / gibibyte} GiB of memory`,
  }[limit];
  const advice = "Import fewer files at a time, or use `npx arlarena import`, which has no such limit.";
  return new AppError("bad_input", `Nothing was imported: reading the files took more than ${most}. ${advice}`);
}
