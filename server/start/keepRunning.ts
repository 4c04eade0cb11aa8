import { type ChildProcess, spawn } from "node:child_process";
import { open } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "./root.ts";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { once } from "node:events";

export type Service = {
  name: string;
  args: readonly string[];
  env: Record<string, string>;
  logPath: string;
  probe: Probe;
};

export type Patience = {
  lookMs: number;
  answerMs: number;
  /** Time in ms without a response after which the service is killed. */
  hangMs: number;
  /** The same limit before the service's first response, because a slow machine may need longer to start. */
  startMs: number;
};

const usualPatience: Patience = { lookMs: 5_000, answerMs: 5_000, hangMs: 30_000, startMs: 180_000 };

export type Running = { stop: () => Promise<void> };

/** Returns the wait in ms before a service is started again, given its number of consecutive early exits. */
export function backOffMs(numQuickEnds: number): number {
  return numQuickEnds === 0 ? 0 : Math.min(500 * 2 ** (numQuickEnds - 1), 30_000);
}

const quickMs = 20_000;
/** Time in ms before SIGKILL: a killed service loses no data, and an orderly exit would wait for open streams. */
const patienceMs = 1_500;

type Report = (line: string) => void;

/** Keeps a service's process running until stopped. If it exits or no longer responds, it is reported and restarted. */
export function keepRunning(service: Service, report: Report, patience = usualPatience): Running {
  const stopping = new AbortController();
  let child: ChildProcess | undefined;
  const loop = async () => {
    let numQuickEnds = 0;
    while (!stopping.signal.aborted) {
      const startedMs = Date.now();
      const how = await startService(service, stopping.signal).then(
        async (started) => {
          if (!started) return "not started";
          child = started.child;
          // `stop` was called while this process started, when there was no child process to end yet.
          if (stopping.signal.aborted) child.kill("SIGKILL");
          const watching = new AbortController();
          void killWhenSilent({ child, service, patience, report }, watching.signal);
          return await started.ended.finally(() => watching.abort());
        },
        // If the disk is full, the log cannot be opened, which counts as an exit of the service.
        (error: unknown) => String(error),
      );
      if (stopping.signal.aborted) return;
      numQuickEnds = Date.now() - startedMs < quickMs ? numQuickEnds + 1 : 0;
      const waitMs = backOffMs(numQuickEnds);
      report(`${service.name} ended (${how}); starting it again in ${waitMs / 1000} s (log: ${service.logPath})`);
      await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };
  const ended = loop();
  const stop = async () => {
    stopping.abort();
    child?.kill("SIGTERM");
    const timer = setTimeout(() => child?.kill("SIGKILL"), patienceMs);
    await ended;
    clearTimeout(timer);
  };
  return { stop };
}

type Watched = { child: ChildProcess; service: Service; patience: Patience; report: Report };

async function killWhenSilent({ child, service, patience, report }: Watched, signal: AbortSignal): Promise<void> {
  const { lookMs, answerMs, hangMs, startMs } = patience;
  let silence = beginSilence(performance.now());
  for (;;) {
    await sleep(lookMs, undefined, { signal }).catch(() => {});
    const isAnswered = await answersProbe(child, service.probe, answerMs);
    if (signal.aborted) return;
    silence = addLook(silence, { nowMs: performance.now(), isAnswered, usualMs: lookMs + answerMs });
    if (silence.silentMs < (silence.hasAnswered ? hangMs : startMs)) continue;
    report(`${service.name} has not answered for ${Math.round(silence.silentMs / 1000)} s; ending it`);
    // The service no longer responds. A process whose event loop is blocked can be ended only by SIGKILL.
    child.kill("SIGKILL");
    return;
  }
}

const preload = pathToFileURL(join(root, "server/start/endWithParent.mjs")).href;

type Started = { child: ChildProcess; ended: Promise<string> };

async function startService({ args, env, logPath }: Service, signal: AbortSignal): Promise<Started | undefined> {
  const log = await open(logPath, "a", 0o600);
  if (signal.aborted) {
    await log.close();
    return undefined;
  }
  const child = spawn(process.execPath, ["--import", preload, ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    // The service has a process group of its own: Ctrl-C reaches only the supervisor, which stops services in order.
    detached: true,
    stdio: ["ignore", log.fd, log.fd, "ipc"],
  });
  child.unref();
  // The exit listener is added before any await, because it would otherwise miss an immediate exit.
  const ended = endOf(child);
  await log.close();
  return { child, ended };
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
}

type Probe = { kind: "ping" } | { kind: "http"; url: string };

/** True if a service responds to a health check within the time limit; the content of its response is ignored. */
async function answersProbe(child: ChildProcess, probe: Probe, patienceMs: number): Promise<boolean> {
  const signal = AbortSignal.timeout(patienceMs);
  try {
    if (probe.kind === "ping") {
      const answer = once(child, "message", { signal });
      child.send("ping", () => {});
      await answer;
      return true;
    }
    const response = await fetch(probe.url, { redirect: "manual", signal });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}

export type Silence = {
  /** Time of the last health check, on the supervisor's monotonic clock in ms. */
  lookedMs: number;
  /** Time in ms since the service's last response, counting only while the supervisor itself was running. */
  silentMs: number;
  hasAnswered: boolean;
};

export function beginSilence(nowMs: number): Silence {
  return { lookedMs: nowMs, silentMs: 0, hasAnswered: false };
}

/** Result of one health check. `usualMs`: interval between two checks on a machine that is not overloaded. */
type Look = { nowMs: number; isAnswered: boolean; usualMs: number };

/** Ignores a check that came far too late: on a suspended or overloaded machine, silence is not the service's fault. */
export function addLook({ lookedMs, silentMs, hasAnswered }: Silence, { nowMs, isAnswered, usualMs }: Look): Silence {
  if (isAnswered) return { lookedMs: nowMs, silentMs: 0, hasAnswered: true };
  const passedMs = nowMs - lookedMs;
  const isLate = passedMs > 2 * usualMs;
  return { lookedMs: nowMs, silentMs: isLate ? silentMs : silentMs + passedMs, hasAnswered };
}
