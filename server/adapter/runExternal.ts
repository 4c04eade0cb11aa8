import { spawn, type ChildProcessByStdio } from "node:child_process";
import { basename, dirname, join } from "node:path";
import type { Readable } from "node:stream";
import type { LineDialect } from "#server/domain/external/lineReader.ts";
import type { LoggedStep } from "#server/domain/external/point.ts";
import { sayRestarts, settle } from "#server/domain/external/settle.ts";
import type { ExternalJob, MetricsSource } from "#server/domain/external/templates/template.ts";
import { makeLiveReader, type LiveStream } from "#server/domain/external/text/liveReader.ts";
import { readTrlPlan, type TrlPlan } from "#server/domain/external/trlSteps.ts";
import { makeUnread, sayUnread } from "#server/domain/external/unread.ts";
import { artifactFolderName } from "#server/tracking/artifactFolder.ts";
import { openJournal, type LocalJournal } from "#server/tracking/journal.ts";
import { noteScales } from "#server/tracking/noteScales.ts";
import { exitCodes } from "#trainer/spec/event.ts";
import { tailLines, tailTrainerState, type Tail } from "./fileTail.ts";
import { makeJournalStore } from "./journalStore.ts";
import { makeLineCutter } from "./lines.ts";
import { makeMeasurements, renameSummed, type Measurements } from "./measurements.ts";
import { openMlflowDoor } from "./mlflowDoor.ts";
import { addReporting } from "./reporting.ts";
import { findTrlCheckpoint } from "./trlCheckpoint.ts";

export type Adaption = {
  job: ExternalJob;
  /** The attempt's folder: its log is written here. */
  folder: string;
  specHash: string;
  /** The run's newest earlier attempt, for programs that can go on from it. */
  resumeFrom: string | undefined;
  /** Aborted when the job is asked to stop. The whole process group gets the signal, so the program has it already. */
  stop: AbortSignal;
  /** Where the program's own output goes on to. */
  output: { stdout: NodeJS.WritableStream; stderr: NodeJS.WritableStream };
};

const lookEveryMs = 500;

/**
 * Runs another trainer's program and writes what it measures as an event log; returns our exit code. Where the disk is
 * full the log waits for room; throws when that is cut short by a request to stop.
 */
export async function runExternal(adaption: Adaption): Promise<number> {
  const { job, folder, resumeFrom, stop, output } = adaption;
  const checkpoint = await findTrlCheckpoint({ argv: job.argv, cwd: job.folder, folder, resumeFrom });
  const journal = await openAttempt(adaption, checkpoint);
  for (const note of job.notes) await journal.note("warning", note);
  const measurements = renameSummed(makeMeasurements(noteScales(journal)), job.summed ?? []);
  const runId = basename(dirname(folder)) || "run";
  const artifactFolder = join(folder, artifactFolderName);
  const door = await openMlflowDoor(makeJournalStore({ runId, artifactFolder, journal, measurements }));
  const unread = makeUnread();
  const source = makeSource(
    job.metrics,
    { ...readTrlPlan(job.argv), checkpoint },
    { add: (step) => measurements.addRead(step), unread: (line) => unread.add(line) },
  );
  const resumption = resumeFrom === undefined ? {} : { ARLARENA_RESUME_FROM: resumeFrom };
  const environment = { ...process.env, ...door.environment, ...resumption, PYTHONUNBUFFERED: "1", ...job.environment };
  const unprepared = await prepareData(adaption, environment);
  if (unprepared !== undefined) return await endUnprepared(journal, { door, stop, reason: unprepared });
  const reporting = await addReporting(job, environment);
  if (reporting.note !== undefined) await journal.note("info", reporting.note);
  const [program = "", ...argv] = reporting.argv;
  const child = spawn(program, argv, { cwd: job.folder, env: environment, stdio: ["ignore", "pipe", "pipe"] });
  const end = await follow(child, source, { output, measurements });
  await door.close();
  await noteReadings(journal, job.metrics, { doubled: await measurements.finish(), unread, left: source.notes() });
  const outcome = judge(end, { isAsked: stop.aborted, program });
  await journal.end(outcome.exit, outcome.reason);
  await journal.close();
  return exitCodes[outcome.exit];
}

/** Runs the step that writes the attempt's data; returns why there is none where it failed. */
async function prepareData({ job, output }: Adaption, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (job.prepare === undefined) return undefined;
  const [program = "", ...argv] = job.prepare;
  const child = spawn(program, argv, { cwd: job.folder, env, stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.pipe(output.stdout, { end: false });
  child.stderr.pipe(output.stderr, { end: false });
  const end = await ended(child);
  if (end.kind === "unstarted") return `${program} could not be started to prepare the data: ${end.text}`;
  if (end.exitCode === 0) return undefined;
  return `preparing the data ended with ${howEnded(end)}; its last words are in stderr.log`;
}

type Unprepared = { door: Awaited<ReturnType<typeof openMlflowDoor>>; stop: AbortSignal; reason: string };

async function endUnprepared(journal: LocalJournal, { door, stop, reason }: Unprepared): Promise<number> {
  await door.close();
  const exit = stop.aborted ? "interrupted" : "failed";
  await journal.end(exit, reason);
  await journal.close();
  return exitCodes[exit];
}

async function openAttempt(
  { job, folder, specHash, resumeFrom, stop }: Adaption,
  checkpoint: Awaited<ReturnType<typeof findTrlCheckpoint>>,
): Promise<LocalJournal> {
  return await openJournal(join(folder, "events.jsonl"), {
    specHash,
    code: `external:${job.name}`,
    pid: process.pid,
    names: job.names,
    // A program that begins anew nevertheless replaces the earlier values by its first step.
    firstIteration: checkpoint === undefined ? 1 : checkpoint.step + 1,
    // TRL's steps are the optimiser's, several an iteration.
    lastIteration: job.metrics.kind.startsWith("trl") ? readTrlPlan(job.argv).maxSteps : undefined,
    // Other trainers' checkpoints are not looked for: they go on counting, so that their first step shows it.
    mayGoOn: resumeFrom !== undefined && checkpoint === undefined,
    // A full disk: the writer of the log waits until there is room, or until the run is asked to stop.
    patience: { waitMs: Infinity, hurry: stop },
  });
}

type Followed = { output: Adaption["output"]; measurements: Measurements };

/** Reads what a program prints, and the file it writes, until it has ended and all of it is read. */
async function follow(
  child: ChildProcessByStdio<null, Readable, Readable>,
  { openStream, tail }: Source,
  { output, measurements }: Followed,
): Promise<End> {
  // Some loggers print to stderr; whatever measures there is read too.
  const cutters = (["stdout", "stderr"] as const).map((stream) => {
    const lines = openStream();
    const cutter = makeLineCutter(lines.onLine);
    child[stream].on("data", (bytes: Buffer) => {
      output[stream].write(bytes);
      cutter.push(bytes);
    });
    const end = () => {
      cutter.end();
      lines.end();
    };
    return { end };
  });
  // One read after the other: two at once would read the same lines.
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
  return end;
}

async function ended(child: ChildProcessByStdio<null, Readable, Readable>): Promise<End> {
  return await new Promise((resolve) => {
    child.once("error", (error) => resolve({ kind: "unstarted", text: error.message }));
    child.once("close", (exitCode, signal) => resolve({ kind: "ended", exitCode, signal }));
  });
}

type Readings = { doubled: readonly string[]; unread: ReturnType<typeof makeUnread>; left: readonly string[] };

/** Notes what was measured twice or not at all, lines that nothing reads, and restarts. */
async function noteReadings(journal: LocalJournal, { kind }: MetricsSource, { doubled, unread, left }: Readings) {
  if (doubled.length > 0) {
    const text = `printed and sent as well, stored as sent: ${doubled.join(", ")}`;
    await journal.note("info", text.length > 500 ? `${text.slice(0, 500)} …` : text);
  }
  const measured = journal.read();
  if (measured.length === 0) {
    await journal.note("warning", `nothing that the program wrote was read as a measurement (${kind})`);
  }
  const { restarts } = settle(measured.map(({ key, value, step }) => ({ step, values: { [key]: value } })));
  const unreadWords = sayUnread(unread.read(), kind === "trlState" ? "entry" : "line");
  for (const text of [...left, ...(unreadWords === undefined ? [] : [unreadWords]), ...sayRestarts(restarts)]) {
    await journal.note("warning", text, "reading");
  }
}

type End = { kind: "unstarted"; text: string } | { kind: "ended"; exitCode: number | null; signal: string | null };

/** How the program's end counts. Asked to stop, any end is an interruption: it may have saved what it had. */
export function judge(end: End, { isAsked, program }: { isAsked: boolean; program: string }) {
  if (end.kind === "unstarted") {
    return { exit: "failed", reason: `${program} could not be started: ${end.text}` } as const;
  }
  const how = howEnded(end);
  if (isAsked) return { exit: "interrupted", reason: `asked to stop, ${program} ended with ${how}` } as const;
  if (end.exitCode === 0) return { exit: "completed", reason: `${program} ended with ${how}` } as const;
  return { exit: "failed", reason: `${program} ended with ${how}; its last words are in stderr.log` } as const;
}

function howEnded({ exitCode, signal }: Extract<End, { kind: "ended" }>): string {
  return signal === null ? `exit code ${exitCode}` : `signal ${signal}`;
}

type Source = { openStream: () => LiveStream; tail: Tail | undefined; notes: () => string[] };

type Sink = { add: (step: LoggedStep) => void; unread: (line: string) => void };

const ignored: LiveStream = { onLine: () => undefined, end: () => undefined };

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
      const tail = tailLines(metrics.file, lines.onLine);
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
