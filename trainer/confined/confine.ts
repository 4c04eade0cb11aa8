import { spawn, type ChildProcess } from "node:child_process";
import { z } from "zod";

/** Resource limits of one request to a confined process. A process that exceeds a limit is killed. */
export type Limits = {
  /** Maximum CPU time of a request in ms. Time in which the machine is suspended or does other work does not count. */
  readonly cpuMs: number;
  /** Maximum elapsed time of a request in ms, for work that waits without computing. */
  readonly wallMs: number;
  /** Maximum resident memory of the whole process in bytes, Node.js included. */
  readonly memoryBytes: number;
};

export type Answer =
  | { kind: "done"; value: unknown }
  /** Result of a request whose process was killed because it exceeded this limit. */
  | { kind: "missed"; limit: "time" | "memory" };

export type OnProgress = (progress: unknown) => void;

/** A separate process with resource limits, which handles one request at a time. */
export type Confined = {
  /**
   * Handles a request. Throws if the work throws, if no process can be started, or on abort. Work that continues for
   * more than a second after an abort is killed. `onProgress` is called with the work's progress messages.
   */
  ask(request: unknown, signal?: AbortSignal, onProgress?: OnProgress): Promise<Answer>;
  close(): void;
};

export const Message = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("ready") }),
  z.object({ kind: z.literal("value"), value: z.unknown() }),
  z.object({ kind: z.literal("problem"), text: z.string() }),
  z.object({ kind: z.literal("progress"), value: z.unknown() }),
]);

/**
 * Makes a process with resource limits for work that may never end, or may use all memory. `args` are arguments of
 * `node`; the last argument is a file that calls `serve`. A process over a limit is killed, which its own code cannot
 * prevent. The next request starts a new process.
 */
export function makeConfined(args: readonly string[], limits: Limits): Confined {
  let running: Promise<Running> | undefined;
  /** True if the process has handled an earlier request, which may still occupy some of its memory. */
  let isUsed = false;
  async function askOnce(request: unknown, signal?: AbortSignal, onProgress?: OnProgress): Promise<Answer> {
    running ??= start(args, limits);
    const child = await running.catch((error: unknown) => {
      running = undefined;
      throw error;
    });
    signal?.throwIfAborted();
    isUsed = true;
    const answer = await child.ask(request, signal, onProgress);
    if (answer.kind === "missed") forget();
    signal?.throwIfAborted();
    return answer;
  }
  function forget(): void {
    running = undefined;
    isUsed = false;
  }
  return {
    async ask(request, signal, onProgress) {
      const wasUsed = isUsed;
      const answer = await askOnce(request, signal, onProgress);
      // Earlier requests may have used the memory, so the request is repeated once in a fresh process.
      const isRepeated = wasUsed && answer.kind === "missed" && answer.limit === "memory";
      return isRepeated ? askOnce(request, signal, onProgress) : answer;
    },
    close() {
      void running?.then((child) => child.end()).catch(() => {});
      forget();
    },
  };
}

type Running = { ask: Confined["ask"]; end(): void };

/** Names of environment variables that a confined process inherits. None has an address or a secret of the studio. */
const passedOn = ["PATH", "HOME", "TMPDIR", "TEMP", "SYSTEMROOT", "LD_LIBRARY_PATH"];
/** Delay in ms after which the parent kills a process that has exceeded a limit without killing itself. */
const slackMs = 5_000;
/** Grace period in ms after an abort, because most work ends faster than a new process starts. */
const graceMs = 1_000;

async function start(args: readonly string[], limits: Limits): Promise<Running> {
  const child = startProcess(args, limits);
  const next = listen(child);
  const first = await next();
  if (first.kind === "ended") throw new Error(`no process for ${args.at(-1)}: ${first.how}`);
  hold(child, false);
  return {
    ask: (request, signal, onProgress) =>
      ask({ child, next, limits, ...(onProgress && { onProgress }) }, request, signal),
    end: () => void child.kill("SIGKILL"),
  };
}

function startProcess(args: readonly string[], limits: Limits): ChildProcess {
  const heapMb = Math.ceil(limits.memoryBytes / 2 ** 20);
  const { NODE_ENV } = process.env;
  const kept = Object.entries(process.env).filter(([name]) => passedOn.includes(name));
  return spawn(process.execPath, [`--max-old-space-size=${heapMb}`, ...args, JSON.stringify(limits)], {
    env: { NODE_ENV, ...Object.fromEntries(kept) },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    serialization: "advanced",
  });
}

type News = Exclude<z.infer<typeof Message>, { kind: "progress" }> | { kind: "ended"; how: string };

/** Returns a function that waits for the process's next message, progress excepted, or for the end of the process. */
function listen(child: ChildProcess): (onProgress?: OnProgress) => Promise<News> {
  let take: (news: News) => void = () => {};
  let tell: OnProgress = () => {};
  let ended: News | undefined;
  const end = (how: string) => {
    ended ??= { kind: "ended", how };
    take(ended);
  };
  child.on("message", (message) => {
    const news = Message.parse(message);
    if (news.kind === "progress") tell(news.value);
    else take(news);
  });
  child.once("error", (error) => end(error.message));
  child.once("exit", (code, signal) => end(signal ?? `exit code ${code}`));
  return (onProgress = () => {}) => {
    tell = onProgress;
    return new Promise((resolve) => (ended ? resolve(ended) : (take = resolve)));
  };
}

type Asked = { child: ChildProcess; next: ReturnType<typeof listen>; limits: Limits; onProgress?: OnProgress };

async function ask(
  { child, next, limits, onProgress }: Asked,
  request: unknown,
  signal?: AbortSignal,
): Promise<Answer> {
  const sinceMs = performance.now();
  let isLate = false;
  let giveUp: NodeJS.Timeout | undefined;
  const kill = () => child.kill("SIGKILL");
  const onAbort = () => (giveUp = setTimeout(kill, graceMs));
  const timer = setTimeout(() => (isLate = kill()), limits.wallMs + slackMs);
  signal?.addEventListener("abort", onAbort);
  hold(child, true);
  try {
    // Errors of sending are ignored: they occur only if the process has ended, which `next` reports.
    child.send({ request }, () => {});
    const news = await next(onProgress);
    if (news.kind === "problem") throw new Error(news.text);
    if (news.kind !== "ended") return { kind: "done", value: news.kind === "value" ? news.value : undefined };
    // Windows has no signals, so there the elapsed time decides if the process exceeded its time limit.
    isLate ||= process.platform === "win32" ? performance.now() - sinceMs > limits.cpuMs : news.how === "SIGALRM";
    return { kind: "missed", limit: isLate ? "time" : "memory" };
  } finally {
    clearTimeout(timer);
    clearTimeout(giveUp);
    signal?.removeEventListener("abort", onAbort);
    hold(child, false);
  }
}

/** Keeps this process alive while its child works. An idle child ends with its parent. */
function hold(child: ChildProcess, isBusy: boolean): void {
  if (isBusy) {
    child.ref();
    child.channel?.ref();
    return;
  }
  child.unref();
  child.channel?.unref();
}
