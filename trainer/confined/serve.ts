import { Worker } from "node:worker_threads";
import { z } from "zod";
import type { Message, OnProgress } from "./confine.ts";

const Request = z.object({ request: z.unknown() });

/** Handles requests in a confined process until the parent is gone. A second thread watches the limits. */
export function serve(work: (request: unknown, tell: OnProgress) => unknown): void {
  // Counter shared with the watchdog thread; it is odd while a request is handled.
  const turn = new Int32Array(new SharedArrayBuffer(4));
  const limits: unknown = JSON.parse(process.argv.at(-1) ?? "");
  const watching = new Worker(watchdog, { eval: true, workerData: { turn, limits, parent: process.ppid } });
  watching.unref();
  watching.once("online", () => report({ kind: "ready" }));
  process.on("disconnect", () => process.exit());
  // The parent decides when this process ends, so signals that reach the whole process group are ignored.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
  const respond = async (message: unknown): Promise<void> => {
    Atomics.add(turn, 0, 1);
    const answer = await attempt(work, Request.parse(message).request);
    Atomics.add(turn, 0, 1);
    report(answer);
  };
  process.on("message", (message) => void respond(message));
}

async function attempt(work: Parameters<typeof serve>[0], request: unknown): Promise<z.infer<typeof Message>> {
  try {
    return { kind: "value", value: await work(request, (value) => report({ kind: "progress", value })) };
  } catch (error) {
    return { kind: "problem", text: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

function report(message: z.infer<typeof Message>): void {
  process.send?.(message);
}

/**
 * Source of the watchdog thread of a confined process, as a string, so that the thread needs no file. Every 50 ms the
 * thread checks the current request's resources. The thread kills the process with SIGALRM for time, and with SIGKILL
 * for memory or a missing parent.
 */
const watchdog = `
const { workerData: { turn, limits, parent } } = require("node:worker_threads");
const late = process.platform === "win32" ? "SIGKILL" : "SIGALRM";
const end = (signal) => process.kill(process.pid, signal);
const now = () => {
  const { user, system } = process.cpuUsage();
  return { cpuMs: (user + system) / 1000, wallMs: performance.now() };
};
let seen = 0;
let since = now();
setInterval(() => {
  if (process.ppid !== parent) return end("SIGKILL");
  const current = Atomics.load(turn, 0);
  if (current % 2 === 0) return;
  if (current !== seen) [seen, since] = [current, now()];
  const { cpuMs, wallMs } = now();
  if (cpuMs - since.cpuMs > limits.cpuMs || wallMs - since.wallMs > limits.wallMs) end(late);
  else if (process.memoryUsage.rss() > limits.memoryBytes) end("SIGKILL");
}, 50);
`;
