import { type ChildProcessByStdio, execFile, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Readable } from "node:stream";
import { formatCount } from "#packages/base";
import {
  type ExternalJob,
  type LineDialect,
  type LiveStream,
  type LoggedStep,
  makeLiveReader,
  makeUnread,
  type MetricsSource,
  readArguments,
  readLastWords,
  readTrlPlan,
  sayRestarts,
  sayUnread,
  settle,
  type TrlPlan,
} from "#packages/trainers";
import { hideValues } from "#server/domain/fleet/secrets.ts";
import { readVerlStep } from "#server/engine/trainers/checkpoints.ts";
import { artifactFolderName } from "#server/engine/trainers/artifactFolder.ts";
import {
  type Exit,
  type Journal,
  type LocalJournal,
  openJournal,
  type Writer,
} from "#server/engine/trainers/journal.ts";
import { noteScales } from "#server/engine/trainers/noteScales.ts";
import { exitCodes } from "#trainer/spec/event.ts";
import { beginJob } from "./beginning.ts";
import { watchLease } from "./leasedGpus.ts";
import { makeLineCutter, type Tail, tailLines, tailTrainerState } from "./fileTail.ts";
import { checkRelease } from "./installedRelease.ts";
import { makeJournalStore } from "./journalStore.ts";
import { makeMeasurements, type Measurements, refuseEarly, renameSummed } from "./measurements.ts";
import { openMlflowDoor } from "./mlflowDoor.ts";
import { makeRedactor, secretValues } from "./redactor.ts";
import { findNewest, findTrlCheckpoint } from "./trlCheckpoint.ts";
import { watchNames } from "./watchNames.ts";

export type Adaption = {
  job: ExternalJob;
  /** Folder of the attempt, which contains the attempt's log. */
  folder: string;
  specHash: string;
  /** Latest earlier attempt of the run, for programs that can resume. */
  resumeFrom: string | undefined;
  /** Aborted when the job is asked to stop; the program in the same process group receives the signal, too. */
  stop: AbortSignal;
  output: { stdout: NodeJS.WritableStream; stderr: NodeJS.WritableStream };
};

const lookEveryMs = 500;

/**
 * Runs another trainer's program and logs its measurements; a full disk is waited out. Returns the exit code.
 * @throws if a stop request interrupts the wait for disk space.
 */
export async function runExternal(adaption: Adaption): Promise<number> {
  const { folder, resumeFrom, stop, output } = adaption;
  const hidden = secretValues(process.env);
  const { ARLARENA_SECRETS: _, ...given } = process.env;
  const begun = await beginJob(adaption.job, {
    folder,
    resumeFrom,
    environment: { ...given, ...adaption.job.environment },
  });
  const { job } = begun.problem === undefined ? begun : adaption;
  const checkpoint = await findTrlCheckpoint({ argv: job.argv, cwd: job.folder, folder, resumeFrom });
  const journal = await openAttempt(adaption, checkpoint);
  if (begun.problem !== undefined) return await finish(journal, "failed", begun.problem);
  for (const note of begun.notes) await journal.note("info", note);
  for (const note of job.notes) await journal.note("warning", note);
  const suited = await checkRelease(job, { ...given, ...job.environment });
  if (suited.problem !== undefined) return await finish(journal, "failed", suited.problem);
  if (suited.note !== undefined) await journal.note("info", suited.note);
  const tooEarly = new AbortController();
  const noteMissing = (text: string) => void journal.note("warning", text, "missingMetric");
  const own = watchLease(makeMeasurements(noteScales(journal)), given.CUDA_VISIBLE_DEVICES);
  const measurements = refuseEarly(
    renameSummed(watchNames(own, job.names ?? {}, noteMissing), job.summed ?? []),
    job.begins?.kind === "branch" ? job.begins.iteration : 0,
    tooEarly,
  );
  const runId = basename(dirname(folder)) || "run";
  const artifactFolder = join(folder, artifactFolderName);
  const door = await openMlflowDoor(makeJournalStore({ runId, artifactFolder, journal, measurements }));
  const unread = makeUnread();
  const source = makeSource(
    job.metrics,
    { ...readTrlPlan(job.argv), checkpoint },
    { add: (step) => measurements.addRead(step), unread: (line) => unread.add(hideValues(line, hidden)) },
  );
  const resumption = resumeFrom === undefined ? {} : { ARLARENA_RESUME_FROM: resumeFrom };
  const environment = { ...given, ...door.environment, ...resumption, PYTHONUNBUFFERED: "1", ...job.environment };
  const unprepared = await prepareData({ ...adaption, job }, environment, hidden);
  if (unprepared !== undefined) {
    await door.close();
    return await finish(journal, stop.aborted ? "interrupted" : "failed", unprepared);
  }
  const reporting = await addReporting(job, environment);
  if (reporting.note !== undefined) await journal.note("info", reporting.note);
  const [program = "", ...argv] = reporting.argv;
  const child = spawn(program, argv, { cwd: job.folder, env: environment, stdio: ["ignore", "pipe", "pipe"] });
  tooEarly.signal.addEventListener("abort", () => child.pid !== undefined && endTree(child.pid));
  const end = await follow(child, source, { output, hidden, measurements });
  await door.close();
  await noteReadings(journal, job.metrics, { doubled: await measurements.finish(), unread, left: source.notes() });
  const outcome =
    tooEarly.signal.aborted && job.begins
      ? { exit: "failed" as const, reason: describeEarly(job.begins) }
      : judge(end, { isAsked: stop.aborted, program, lastWords: readLastWords(end.output) });
  const lost = outcome.exit === "interrupted" ? `; ${await describeLost(job, journal)}` : "";
  return await finish(journal, outcome.exit, `${outcome.reason}${lost}`);
}

/** Writes the log's last line and returns the exit code. */
export async function finish(journal: Journal, exit: Exit, reason: string): Promise<number> {
  await journal.end(exit, reason);
  await journal.close();
  return exitCodes[exit];
}

function originOf({ kind, run, iteration, continuation }: NonNullable<ExternalJob["begins"]>): Writer["origin"] {
  return { kind, run, iteration, ...(continuation !== undefined && { continuation }) };
}

/** Returns the error message for a branch whose program restarted from step 0, unlike its plan. */
function describeEarly({ run, iteration }: NonNullable<ExternalJob["begins"]>): string {
  return `the program did not continue ${run} after ${iteration} but started over, and was stopped: a TRL script must call trainer.train(resume_from_checkpoint=config.resume_from_checkpoint)`;
}

function endTree(root: number): void {
  const statOf = (name: string): string => {
    try {
      return readFileSync(`/proc/${name}/stat`, "utf8");
    } catch {
      return "";
    }
  };
  const names = existsSync("/proc") ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
  const parentOf = new Map(names.map((name) => [Number(name), Number(/^.*\) \S (\d+) /.exec(statOf(name))?.[1])]));
  const isBelow = (pid: number): boolean => pid === root || (pid > 1 && isBelow(parentOf.get(pid) ?? 0));
  for (const pid of new Set([...[...parentOf.keys()].filter(isBelow), root])) {
    try {
      process.kill(pid, "SIGTERM");
    } catch {
      // A process that has already ended needs no signal.
    }
  }
}

/** Runs the command that prepares the attempt's data. Returns the error message if the command fails. */
async function prepareData({ job, output }: Adaption, env: NodeJS.ProcessEnv, hidden: readonly string[]) {
  if (job.prepare === undefined) return undefined;
  const [program = "", ...argv] = job.prepare;
  const child = spawn(program, argv, { cwd: job.folder, env, stdio: ["ignore", "pipe", "pipe"] });
  const readEnd = passOn(child, { output, hidden });
  const end = await ended(child);
  if (end.kind === "unstarted") return `${program} could not be started to prepare the data: ${end.text}`;
  if (end.exitCode === 0) return undefined;
  return `preparing the data ended with ${describeFailure(end, readLastWords(readEnd()))}`;
}

async function openAttempt(
  { job, folder, specHash, resumeFrom, stop }: Adaption,
  checkpoint: Awaited<ReturnType<typeof findTrlCheckpoint>>,
): Promise<LocalJournal> {
  const { begins } = job;
  const before = checkpoint?.step ?? (begins?.kind === "branch" ? begins.iteration : 0);
  return await openJournal(join(folder, "events.jsonl"), {
    specHash,
    code: `external:${job.name}`,
    pid: process.pid,
    names: job.names,
    // If the program restarts from step 0 nevertheless, its new values replace the earlier ones from the first step on.
    firstIteration: before + 1,
    ...(begins && { origin: originOf(begins) }),
    // TRL counts optimizer steps, of which an iteration may have several.
    lastIteration: job.metrics.kind.startsWith("trl") ? readTrlPlan(job.argv).maxSteps : undefined,
    // If checkpoints are not searched for, the program's first step shows if it resumed.
    mayGoOn: resumeFrom !== undefined && checkpoint === undefined,
    // On a full disk, the log's writer waits for space or until the run is asked to stop.
    patience: { waitMs: Infinity, hurry: stop },
  });
}

type Child = ChildProcessByStdio<null, Readable, Readable>;
type Shown = { output: Adaption["output"]; hidden: readonly string[] };
type Followed = Shown & { measurements: Measurements };

const maxEndChars = 32_768;

/** Forwards a program's output with secret values removed. Returns a function that reads its end: stdout, then stderr. */
function passOn(
  child: Child,
  { output, hidden }: Shown,
  take: Readonly<Partial<Record<"stdout" | "stderr", (bytes: Buffer) => void>>> = {},
): () => string {
  const ends = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    const redactor = makeRedactor(hidden);
    const show = (bytes: Buffer) => {
      output[stream].write(bytes);
      ends[stream] = (ends[stream] + bytes.toString("latin1")).slice(-maxEndChars);
      take[stream]?.(bytes);
    };
    child[stream].on("data", (bytes: Buffer) => show(redactor.push(bytes)));
    child[stream].once("end", () => show(redactor.end()));
  }
  return () => Buffer.from(`${ends.stdout}\n${ends.stderr}`, "latin1").toString("utf8");
}

/** Reads the program's output and its log file until the program has exited and both have been read to their ends. */
async function follow(
  child: Child,
  { openStream, tail }: Source,
  { measurements, ...shown }: Followed,
): Promise<End & { output: string }> {
  // Some loggers print to stderr, so stderr is parsed like stdout.
  const cutters = (["stdout", "stderr"] as const).map((stream) => {
    const lines = openStream();
    const cutter = makeLineCutter(lines);
    const end = () => {
      cutter.end();
      lines.end();
    };
    return { stream, cutter, end };
  });
  const takers = cutters.map(({ stream, cutter }) => [stream, (bytes: Buffer) => cutter.push(bytes)]);
  const readEnd = passOn(child, shown, Object.fromEntries(takers));
  // Polls the files one read at a time: two concurrent reads would return the same lines.
  let looks: Promise<unknown> = Promise.resolve();
  const looking = setInterval(() => {
    looks = looks.then(() => tail?.look()).catch(() => undefined);
    measurements.look(Date.now());
  }, lookEveryMs);
  const end = await ended(child);
  clearInterval(looking);
  for (const cutter of cutters) cutter.end();
  await looks;
  await tail?.end();
  return { ...end, output: readEnd() };
}

async function ended(child: Child): Promise<End> {
  return await new Promise((resolve) => {
    child.once("error", (error) => resolve({ kind: "unstarted", text: error.message }));
    child.once("close", (exitCode, signal) => resolve({ kind: "ended", exitCode, signal }));
  });
}

type Readings = { doubled: readonly string[]; unread: ReturnType<typeof makeUnread>; left: readonly string[] };

/** Adds remarks to the log about metrics with two sources, missing measurements, unparsed lines and restarts. */
async function noteReadings(journal: LocalJournal, { kind }: MetricsSource, { doubled, unread, left }: Readings) {
  if (doubled.length > 0) {
    const text = `metrics that were both printed and sent are stored as sent: ${doubled.join(", ")}`;
    await journal.note("info", text.length > 500 ? `${text.slice(0, 500)} …` : text);
  }
  const measured = journal.read();
  if (measured.length === 0) {
    await journal.note("warning", `no measurement was found in the program's output (${kind})`);
  }
  const { restarts } = settle(measured.map(({ key, value, step }) => ({ step, values: { [key]: value } })));
  const unreadWords = sayUnread(unread.read(), kind === "trlState" ? "entry" : "line");
  for (const text of [...left, ...(unreadWords === undefined ? [] : [unreadWords]), ...sayRestarts(restarts)]) {
    await journal.note("warning", text, "reading");
  }
}

type End = { kind: "unstarted"; text: string } | { kind: "ended"; exitCode: number | null; signal: string | null };

type Judged = { isAsked: boolean; program: string; lastWords?: string | undefined };

/** Interprets how the program ended. After a stop request every exit counts as an interruption. */
export function judge(end: End, { isAsked, program, lastWords }: Judged) {
  if (end.kind === "unstarted") {
    return { exit: "failed", reason: `${program} could not be started: ${end.text}` } as const;
  }
  const how = howEnded(end);
  if (isAsked) return { exit: "interrupted", reason: `asked to stop, ${program} ended with ${how}` } as const;
  if (end.exitCode === 0) return { exit: "completed", reason: `${program} ended with ${how}` } as const;
  return { exit: "failed", reason: `${program} ended with ${describeFailure(end, lastWords)}` } as const;
}

function describeFailure(end: Extract<End, { kind: "ended" }>, lastWords: string | undefined): string {
  const how = howEnded(end);
  return lastWords === undefined ? `${how} and printed nothing` : `${how}: ${lastWords}`;
}

function howEnded({ exitCode, signal }: Extract<End, { kind: "ended" }>): string {
  return signal === null ? `exit code ${exitCode}` : `signal ${signal}`;
}

type Source = { openStream: () => LiveStream; tail: Tail | undefined; notes: () => string[] };

type Sink = { add: (step: LoggedStep) => void; unread: (line: string) => void };

const ignored: LiveStream = { onLine: () => undefined, onLong: () => undefined, end: () => undefined };

function makeSource(metrics: MetricsSource, plan: TrlPlan, { add, unread }: Sink): Source {
  const nothing = { openStream: () => ignored, tail: undefined, notes: () => [] };
  const takeLines = (dialect: LineDialect) => makeLiveReader({ dialect, plan }, { add, unread });
  switch (metrics.kind) {
    case "mlflow":
      return nothing;
    case "trlState":
      return {
        ...nothing,
        tail: tailTrainerState(metrics.file, (entry) => (typeof entry === "string" ? unread(entry) : add(entry))),
      };
    case "verlFile":
    case "jsonLines": {
      const reader = takeLines(metrics.kind);
      if (metrics.file === undefined) return { ...nothing, ...reader };
      const lines = reader.openStream();
      const tail = tailLines(metrics.file, lines);
      const end = () => tail.end().then(() => lines.end());
      return { ...nothing, tail: { look: () => tail.look(), end }, notes: () => reader.notes() };
    }
    case "verlConsole":
    case "trlPrinted":
    case "openRlhfConsole":
    case "skyRlConsole":
    case "slimeConsole":
    case "nemoRlConsole":
    case "primeRlConsole":
    case "rollConsole":
    case "arealConsole":
      return { ...nothing, ...takeLines(metrics.kind) };
  }
}

/** Adds logging arguments to the command if its Python has the required module. `note`: for the run's page. */
async function addReporting(
  { argv, reporting, folder }: ExternalJob,
  environment: NodeJS.ProcessEnv,
): Promise<{ argv: readonly string[]; note: string | undefined }> {
  if (reporting === undefined) return { argv, note: undefined };
  const { python, module, arguments: added, without } = reporting;
  const code = "import importlib.util, sys; sys.exit(0 if importlib.util.find_spec(sys.argv[1]) else 1)";
  const isThere = await new Promise<boolean>((done) => {
    const options = { cwd: folder, env: environment, timeout: 30_000 };
    const [program = "", ...words] = python;
    execFile(program, [...words, "-c", code, module], options, (error) => done(error === null));
  });
  if (!isThere) return { argv, note: without };
  return { argv: [...argv, ...added], note: `${module} is installed beside it: ${added.join(" ")} was added` };
}

/** Describes, for the run page, the steps lost since the last checkpoint: other trainers do not save on a signal. */
async function describeLost(job: Pick<ExternalJob, "argv" | "folder">, journal: LocalJournal): Promise<string> {
  const last = Math.max(0, ...journal.read().map(({ step }) => step));
  const saved = await readSavedStep(job);
  if (last === 0) return "it had measured no step yet";
  if (saved === "unknown") {
    return "it saves nothing when asked to stop: its steps since its last checkpoint are lost";
  }
  if (saved === 0) return `it had saved no checkpoint: ${last === 1 ? "its 1 step is" : `all ${last} steps are`} lost`;
  const lost = last - saved;
  if (lost <= 0) return `no step is lost: its last checkpoint is of step ${saved}`;
  return `${formatCount(lost, "step")} since its last checkpoint (step ${saved}) ${lost === 1 ? "is" : "are"} lost`;
}

/** Returns the step of the newest checkpoint: 0 without one, "unknown" if checkpoints cannot be located. */
async function readSavedStep({ argv, folder }: Pick<ExternalJob, "argv" | "folder">): Promise<number | "unknown"> {
  const saved = await readVerlStep({ argv, folder });
  if (saved !== undefined) return saved;
  const output = readArguments(argv).get("output_dir");
  if (output === undefined) return "unknown";
  return (await findNewest(join(resolve(folder, output))))?.step ?? 0;
}
