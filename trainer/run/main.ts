import { mkdirSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { exitCodes } from "#trainer/spec/event.ts";
import { whyNotRunnable } from "#trainer/spec/method.ts";
import { RunSpec, specHash } from "#trainer/spec/run.ts";
import { openLog } from "./emit.ts";
import { train } from "./train.ts";

/** `main.ts SPEC.json OUT_FOLDER`: one run, from its spec to the last line of its log. */
async function main([specPath, outFolder, ...rest]: readonly string[]): Promise<number> {
  if (specPath === undefined || outFolder === undefined || rest.length > 0) {
    return refuse("usage: trainer SPEC.json OUT_FOLDER");
  }
  const spec = readSpec(specPath);
  if (typeof spec === "string") return refuse(spec);
  const reason = whyNotRunnable(spec.method);
  if (reason !== undefined) return refuse(`method: ${reason}`);

  mkdirSync(outFolder, { recursive: true });
  const log = openLog(join(outFolder, "events.jsonl"));
  let isInterrupted = false;
  process.on("SIGTERM", () => (isInterrupted = true));
  process.on("SIGINT", () => (isInterrupted = true));
  try {
    const { exit, reason } = await train(spec, log, () => isInterrupted, {
      specHash: specHash(spec),
      code: process.env.ARLARENA_TRAINER_HASH ?? "source",
      host: hostname(),
      pid: process.pid,
    });
    log.done(exit, reason);
    return exitCodes[exit];
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    console.error(text);
    log.note("error", text);
    log.done("failed", error instanceof Error ? error.message : String(error));
    return exitCodes.failed;
  } finally {
    log.close();
  }
}

/** The spec, or one line per problem with the field, the value and the limit. */
function readSpec(path: string): RunSpec | string {
  try {
    const result = RunSpec.safeParse(JSON.parse(readFileSync(path, "utf8")));
    return result.success ? result.data : `${path} is not a run spec\n${z.prettifyError(result.error)}`;
  } catch (error) {
    return `cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function refuse(message: string): number {
  console.error(message);
  return exitCodes.usage;
}

process.exitCode = await main(process.argv.slice(2));
