import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePorts } from "#server/config/freePort.ts";

/** A real Ray cluster on this machine: a head without CPUs and one worker. */
export type RayCluster = {
  /** Address of the Jobs API, which a restart does not change. */
  address: string;
  startHead(): Promise<void>;
  startWorker(): Promise<void>;
  /** Kills the head's processes (GCS, raylet, dashboard, agents) with SIGKILL. */
  killHead(): Promise<void>;
  killWorker(): Promise<void>;
  close(): Promise<void>;
};

/** Creates a cluster. `python` must have `ray[default]`, with the program `ray` beside it. */
export async function makeRayCluster(python: string, numCpus: number): Promise<RayCluster> {
  // Ray's socket names below this folder are long, and a socket's path is limited to 107 bytes.
  const folder = await mkdtemp(join(tmpdir(), "ray-"));
  const [gcs = 0, dashboard = 0, agent = 0, other = 0] = await findFreePorts(4);
  const environment = { ...process.env, RAY_USAGE_STATS_ENABLED: "0", RAY_DISABLE_IMPORT_WARNING: "1" };
  const start = (argv: readonly string[]): ChildProcess =>
    spawn(join(dirname(python), "ray"), ["start", "--block", "--object-store-memory=80000000", ...argv], {
      env: { ...environment, NODE_ENV: "test" },
      stdio: "ignore",
    });
  const address = `http://127.0.0.1:${dashboard}`;
  const running: Partial<Record<"head" | "worker", ChildProcess>> = {};
  // The kernel sends child processes a signal when their parent has ended.
  const kill = async (name: "head" | "worker"): Promise<void> => {
    const child = running[name];
    delete running[name];
    if (child?.kill("SIGKILL") === true) await once(child, "exit");
  };
  const cluster: RayCluster = {
    address,
    startHead: async () => {
      running.head = start([
        "--head",
        "--num-cpus=0",
        `--temp-dir=${folder}`,
        `--port=${gcs}`,
        `--dashboard-port=${dashboard}`,
        `--dashboard-agent-listen-port=${agent}`,
        "--dashboard-host=127.0.0.1",
      ]);
      await until(async () => (await fetch(`${address}/api/version`)).ok);
    },
    startWorker: async () => {
      running.worker = start([
        `--address=127.0.0.1:${gcs}`,
        `--num-cpus=${numCpus}`,
        `--dashboard-agent-listen-port=${other}`,
      ]);
      await until(async () => {
        const nodes: unknown = await (await fetch(`${address}/api/v0/nodes`)).json();
        return (JSON.stringify(nodes).match(/"state": ?"ALIVE"/g)?.length ?? 0) >= 2;
      });
    },
    killHead: () => kill("head"),
    killWorker: () => kill("worker"),
    close: async () => {
      await kill("worker");
      await kill("head");
      await sleep(1000);
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  await cluster.startHead();
  await cluster.startWorker();
  return cluster;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const endMs = Date.now() + 300_000;
  while (!(await isSo().catch(() => false))) {
    if (Date.now() > endMs) throw new Error("the Ray cluster did not come up within five minutes");
    await sleep(250);
  }
}
