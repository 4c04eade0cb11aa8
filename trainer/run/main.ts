import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { numThreads } from "#trainer/onnx/options.ts";
import { watchHardware } from "#trainer/hardware/hardware.ts";
import { knownMachine } from "#trainer/hardware/knownMachine.ts";
import { answerMark, beginMark, requireProvider, tryingOption } from "#trainer/hardware/tryProvider.ts";
import { tryHere } from "#trainer/onnx/providers.ts";
import { conflictsOf } from "#trainer/spec/conflicts.ts";
import { isDiskFull } from "#trainer/spec/diskFull.ts";
import { evaluatedMark, evaluateOption } from "#trainer/spec/elsewhere.ts";
import { exitCodes } from "#trainer/spec/event.ts";
import { machineMark } from "#trainer/spec/machine.ts";
import { isOriginMissing } from "#trainer/spec/origin.ts";
import { RunSpec, specHash } from "#trainer/spec/run.ts";
import { makeCheckpoints, type Snapshot } from "./keeping/checkpoints.ts";
import { openLog } from "./keeping/emit.ts";
import { openGroups } from "./keeping/groupFile.ts";
import { makeInterrupt } from "./keeping/interrupt.ts";
import { openEpisodes } from "./acting/storedEpisodes.ts";
import { makeStarts } from "./keeping/starts.ts";
import { trainFrom } from "./beginning.ts";
import { evaluateStored, StoredRequest } from "./evaluateStored.ts";
import type { RunContext } from "./prepare.ts";

const usage = "usage: trainer SPEC.json OUT_FOLDER [--resume-from FOLDER]… [--begin-from FOLDER]…, or trainer --look";

/** Answers a call: describes the machine, tests an execution provider, evaluates a stored policy, or trains. */
async function answer(argv: readonly string[]): Promise<number> {
  const [option, name = ""] = argv;
  if (option === "--look") {
    const machine = await knownMachine(process.env.ARLARENA_GRAPH_CACHE, process.env.ARLARENA_TRAINER_HASH);
    console.log(`${machineMark}${JSON.stringify(machine)}`);
    return 0;
  }
  if (option === evaluateOption) return evaluateHere(name);
  if (option !== tryingOption) return await main(argv);
  console.log(beginMark);
  const why = await tryHere(name).then(
    () => "",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  console.log(`${answerMark}${why.replaceAll("\n", " ")}`);
  return 0;
}

/** Time limit of an evaluation in minutes. Evaluations of small policies take seconds. */
const maxEvaluationMinutes = 60;

/** Evaluates a stored policy as specified in a request file, and prints the result as one line of JSON. */
async function evaluateHere(path: string): Promise<number> {
  try {
    const request = StoredRequest.parse(JSON.parse(readFileSync(path, "utf8")));
    const cacheFolder = process.env.ARLARENA_GRAPH_CACHE;
    const { provider } = request.spec.execution;
    await requireProvider(provider);
    setTimeout(() => {
      process.exit(refuse(`${evaluatedMark}it was not over after ${maxEvaluationMinutes} minutes`, exitCodes.failed));
    }, maxEvaluationMinutes * 60_000).unref();
    const options = {
      executionProvider: provider,
      threads: numThreads(process.env),
      ...(cacheFolder && { cacheFolder }),
    };
    console.log(`${evaluatedMark}${JSON.stringify(await evaluateStored(request, options))}`);
    return 0;
  } catch (error) {
    return refuse(`${evaluatedMark}${error instanceof Error ? error.message : String(error)}`, exitCodes.failed);
  }
}

/**
 * Executes one training run, from reading its specification to the last line of its log, and returns the exit code.
 * It resumes from the newest checkpoint in its folder, or else in the first --resume-from folder that has a
 * checkpoint. A branch searches the folders of --begin-from for its origin run's training state.
 */
async function main(argv: readonly string[]): Promise<number> {
  const parsed = parse(argv);
  if (typeof parsed === "string") return refuse(parsed);
  const { specPath, outFolder, otherFolders, origins } = parsed;
  const spec = readSpec(specPath);
  if (typeof spec === "string") return refuse(spec);
  const hash = specHash(spec);

  const log = open(outFolder);
  if ("problem" in log) return refuse(log.problem, log.exitCode);
  const interrupt = makeInterrupt();
  const { provider } = spec.execution;
  const hardware = watchHardware(provider);
  process.on("SIGTERM", () => interrupt.request());
  process.on("SIGINT", () => interrupt.request());
  try {
    const noted = process.env.ARLARENA_LOOKS ? noteMachine(outFolder) : undefined;
    // The machine's description must be written before a missing execution provider ends the run. The studio then
    // sends no later run that needs this provider to this machine.
    if (provider !== "cpu") await noted;
    const resumed = findCheckpoint([outFolder, ...otherFolders], hash, (text) => log.note("warning", text));
    await requireProvider(provider);
    const cacheFolder = process.env.ARLARENA_GRAPH_CACHE;
    const code = process.env.ARLARENA_TRAINER_HASH;
    const threads = numThreads(process.env);
    if (threads > 1) log.note("info", `passes use ${threads} threads of this machine`);
    const context: RunContext = {
      log,
      hardware,
      sessionOptions: { executionProvider: provider, threads, ...(cacheFolder && { cacheFolder }) },
      episodeFile: openEpisodes(join(outFolder, "samples.jsonl")),
      groupFile: openGroups(outFolder),
      checkpoints: makeCheckpoints(checkpointFolder(outFolder), hash, spec.execution),
      // Only the bundled trainer, with a hash of its code, caches initial policies: source may change between runs.
      ...(cacheFolder && code && { starts: makeStarts(join(cacheFolder, "starts"), code) }),
      ...(resumed && { resumed }),
      interrupt,
      folder: outFolder,
      origin: { specHash: hash, code: code ?? "source", host: hostname(), pid: process.pid },
    };
    const cache = cacheFolder && code ? { cache: join(cacheFolder, "states") } : {};
    const training = trainFrom(spec, context, { attempts: [outFolder, ...otherFolders], origins, ...cache });
    const { exit, reason } = await Promise.race([training, interrupt.deadline]);
    log.done(exit, reason);
    return exitCodes[exit];
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    console.error(text);
    const exit = isDiskFull(error) ? "disk_full" : "failed";
    // On a full disk, the log may not accept this message either. The exit code still reports the failure.
    try {
      log.note("error", text);
      log.done(exit, error instanceof Error ? error.message : String(error));
    } catch (unwritten) {
      console.error(`the log could not be finished: ${String(unwritten)}`);
    }
    return exitCodes[exit];
  } finally {
    hardware.close();
    log.close();
  }
}

/** Describes this machine beside the log, because the studio cannot inspect some machines itself. */
async function noteMachine(folder: string): Promise<void> {
  try {
    const machine = await knownMachine(process.env.ARLARENA_GRAPH_CACHE, process.env.ARLARENA_TRAINER_HASH);
    const path = join(folder, "machine.json");
    writeFileSync(`${path}.new`, JSON.stringify(machine));
    renameSync(`${path}.new`, path);
  } catch (error) {
    console.error(`the machine could not be looked at: ${String(error)}`);
  }
}

type Arguments = { specPath: string; outFolder: string; otherFolders: string[]; origins: string[] };

function parse(argv: readonly string[]): Arguments | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        "resume-from": { type: "string", multiple: true, default: [] },
        "begin-from": { type: "string", multiple: true, default: [] },
      },
    });
    const [specPath, outFolder, ...rest] = positionals;
    if (specPath === undefined || outFolder === undefined || rest.length > 0) return usage;
    return { specPath, outFolder, otherFolders: values["resume-from"], origins: values["begin-from"] };
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}\n${usage}`;
  }
}

/** Returns a text with one line per problem (field, value, limit) if the specification is invalid. */
function readSpec(path: string): RunSpec | string {
  try {
    const result = RunSpec.safeParse(JSON.parse(readFileSync(path, "utf8")));
    if (!result.success) return `${path} is not a run spec\n${z.prettifyError(result.error)}`;
    const { trainer } = result.data;
    if (trainer) return `${path} is for the trainer "${trainer.name}", which this node does not have`;
    if (isOriginMissing(result.data))
      return `${path}: initialisation.origin, the specification of the origin, is missing`;
    const conflicts = conflictsOf(result.data).map(({ path: field, message }) => `✖ ${message}\n  → at ${field}`);
    return conflicts.length > 0 ? [`${path} cannot run`, ...conflicts].join("\n") : result.data;
  } catch (error) {
    return `cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function open(outFolder: string): ReturnType<typeof openLog> | { problem: string; exitCode: number } {
  try {
    mkdirSync(outFolder, { recursive: true });
    return openLog(join(outFolder, "events.jsonl"));
  } catch (error) {
    const problem = `cannot write to ${outFolder}: ${error instanceof Error ? error.message : String(error)}`;
    return { problem, exitCode: exitCodes[isDiskFull(error) ? "disk_full" : "failed"] };
  }
}

function checkpointFolder(outFolder: string): string {
  return join(outFolder, "checkpoints");
}

function findCheckpoint(
  folders: readonly string[],
  hash: string,
  warn: (text: string) => void,
): { snapshot: Snapshot; from: string } | undefined {
  for (const folder of folders) {
    const from = checkpointFolder(folder);
    if (!existsSync(from)) continue;
    const { snapshot, problems } = makeCheckpoints(from, hash).latest();
    for (const problem of problems) warn(`checkpoint passed over in ${from}: ${problem}`);
    if (snapshot) return { snapshot, from };
  }
  return undefined;
}

function refuse(message: string, exitCode: number = exitCodes.usage): number {
  console.error(message);
  return exitCode;
}

// The process must exit explicitly, because training that missed the deadline of a stop would continue.
process.exit(await answer(process.argv.slice(2)));
