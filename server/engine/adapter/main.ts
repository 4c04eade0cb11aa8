import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ExternalFile } from "#packages/trainers";
import { isDiskFull } from "#trainer/spec/diskFull.ts";
import { exitCodes } from "#trainer/spec/event.ts";
import { RunSpec, specHash } from "#trainer/spec/run.ts";
import { openJournal } from "#server/engine/trainers/journal.ts";
import { finish, runExternal } from "./runExternal.ts";

/** Entry point of an external trainer's job: `main.ts SPEC.json FOLDER [--resume-from FOLDER]…`. */
const stop = new AbortController();
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => stop.abort());

const { values, positionals } = parseArgs({
  options: { "resume-from": { type: "string", multiple: true } },
  allowPositionals: true,
});
const [specFile, folder] = positionals;
if (specFile === undefined || folder === undefined) {
  console.error("usage: main.ts SPEC.json FOLDER [--resume-from FOLDER]");
  process.exit(exitCodes.usage);
}
const spec = RunSpec.parse(JSON.parse(await readFile(specFile, "utf8")));
const external = ExternalFile.parse(JSON.parse(await readFile(join(folder, "external.json"), "utf8")));
// An error while program output is forwarded, such as a full disk, must not end the adapter.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
process.exitCode = await run(folder).catch((error: unknown) => {
  if (!isDiskFull(error)) throw error;
  console.error(`the disk is full: ${String(error)}`);
  return exitCodes.disk_full;
});

function run(attemptFolder: string): Promise<number> {
  if ("problem" in external) return refuse(external.problem);
  return runExternal({
    job: external,
    folder: attemptFolder,
    specHash: specHash(spec),
    resumeFrom: values["resume-from"]?.[0],
    stop: stop.signal,
    output: process,
  });
}

/** Writes the reason why the job cannot start into the attempt's log, where users look for it. */
async function refuse(problem: string): Promise<number> {
  const writer = { specHash: specHash(spec), code: "external", pid: process.pid, firstIteration: 1 };
  const journal = await openJournal(join(folder ?? "", "events.jsonl"), writer);
  return await finish(journal, "failed", problem);
}
