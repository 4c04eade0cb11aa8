import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { hostname, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePorts } from "#server/config/freePort.ts";
import { unpackPackages } from "#server/testing/unpackPackages.ts";

/** Paths of Slurm's programs, plugins and libraries; `libraries` is "" if the system finds them. */
export type Installation = { sbin: string; bin: string; plugins: string; libraries: string };

const packages = [
  "slurmctld",
  "slurmd",
  "slurm-client",
  "slurm-wlm-basic-plugins",
  "munge",
  "libmunge2",
  "libhwloc15",
  "liblua5.1-0",
];

/** Finds an installed Slurm, or unpacks Debian's packages. If both fail, returns the reasons. */
export function findSlurm(): Installation | { missing: string } {
  if (userInfo().uid !== 0) return { missing: "slurmd starts jobs as root only" };
  const installed = installationIn("/");
  if (installed) return installed;
  if (process.platform !== "linux") return { missing: "no slurmctld, and its package can be fetched on Debian only" };
  const folder = join(tmpdir(), "arlarena-slurm");
  const earlier = installationIn(folder);
  if (earlier) return earlier;
  try {
    unpackPackages(folder, packages);
  } catch (error) {
    return { missing: `no slurmctld, and Debian's packages cannot be had: ${String(error).split("\n")[0] ?? ""}` };
  }
  return installationIn(folder) ?? { missing: "Debian's packages hold no slurmctld where it is looked for" };
}

function installationIn(root: string): Installation | undefined {
  const lib = join(root, "usr/lib");
  const triple = existsSync(lib)
    ? readdirSync(lib).find((name) => existsSync(join(lib, name, "slurm-wlm")))
    : undefined;
  if (triple === undefined) return undefined;
  const [sbin, bin, libraries] = [join(root, "usr/sbin"), join(root, "usr/bin"), join(lib, triple)];
  const isWhole = ["slurmctld-wlm", "slurmd-wlm", "munged"].every((name) => existsSync(join(sbin, name)));
  if (!isWhole || !existsSync(join(bin, "sbatch"))) return undefined;
  const plugins = join(libraries, "slurm-wlm");
  // For an installed Slurm, the system's folder in LD_LIBRARY_PATH would hide libraries of another Python.
  return { sbin, bin, plugins, libraries: root === "/" ? "" : `${libraries}:${plugins}` };
}

/** Slurm cluster for tests: two nodes on this machine, with its own controller, partition and keys. */
export type SlurmCluster = {
  environment: Readonly<Record<string, string>>;
  killController(): Promise<void>;
  startController(): void;
  /** Opens or closes the cluster's partition. A closed partition accepts jobs but starts none. */
  setPartition(state: "UP" | "DOWN"): void;
  close(): Promise<void>;
};

export async function makeSlurmCluster(folder: string, slurm: Installation): Promise<SlurmCluster> {
  for (const name of ["state", "spool/n1", "spool/n2"]) await mkdir(join(folder, name), { recursive: true });
  // Clients of munge, Slurm's authentication service, must be able to reach its socket in this folder.
  await chmod(folder, 0o755);
  await writeFile(join(folder, "munge.key"), randomBytes(128), { mode: 0o600 });
  const configuration = join(folder, "slurm.conf");
  await writeFile(configuration, configurationOf(folder, slurm, await findFreePorts(3)));
  const environment = {
    PATH: `${slurm.bin}:${process.env["PATH"] ?? ""}`,
    ...(slurm.libraries && { LD_LIBRARY_PATH: slurm.libraries }),
    SLURM_CONF: configuration,
  };
  const start = (name: string, argv: readonly string[]): ChildProcess =>
    spawn(join(slurm.sbin, name), argv, { env: { ...process.env, ...environment }, stdio: "ignore" });
  const at = (name: string): string => join(folder, name);
  const files = ["key", "pid", "log", "seed"].map((name) => `--${name}-file=${at(`munge.${name}`)}`);
  const munge = start("munged", ["-F", "-S", at("munge.sock"), ...files]);
  await until(() => existsSync(at("munge.sock")), "munged does not start");
  let controller = start("slurmctld-wlm", ["-D", "-f", configuration]);
  const stepd = join(slurm.sbin, "slurmstepd-wlm");
  const machines = ["n1", "n2"].map((name) =>
    start("slurmd-wlm", ["-D", "-N", name, "-f", configuration, "-d", stepd]),
  );
  const ask = { env: { ...process.env, ...environment }, stdio: "ignore", timeout: 10_000 } as const;
  const cluster: SlurmCluster = {
    environment,
    killController: () => stop(controller, "SIGKILL"),
    startController: () => void (controller = start("slurmctld-wlm", ["-D", "-f", configuration])),
    setPartition: (state) =>
      void execFileSync(join(slurm.bin, "scontrol"), ["update", "PartitionName=short", `State=${state}`], ask),
    close: async () => {
      try {
        execFileSync(join(slurm.bin, "scancel"), ["-u", userInfo().username], ask);
      } catch {
        // If the controller has ended already, scancel fails, which is harmless here.
      }
      for (const child of [...machines, controller, munge]) await stop(child, "SIGTERM");
    },
  };
  await until(() => countIdle(slurm.bin, environment) === 2, "the machines of the cluster do not report", 60_000);
  return cluster;
}

function countIdle(bin: string, environment: Readonly<Record<string, string>>): number {
  try {
    const output = execFileSync(join(bin, "sinfo"), ["-h", "-N", "-o", "%T"], {
      env: { ...process.env, ...environment },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return output.split("\n").filter((state) => state === "idle").length;
  } catch {
    return 0;
  }
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill(signal);
  const killing = setTimeout(() => child.kill("SIGKILL"), 10_000);
  await gone;
  clearTimeout(killing);
}

async function until(isSo: () => boolean, otherwise: string, withinMs = 20_000): Promise<void> {
  const endMs = Date.now() + withinMs;
  while (!isSo()) {
    if (Date.now() > endMs) throw new Error(otherwise);
    await sleep(100);
  }
}

function configurationOf(folder: string, { plugins }: Installation, [ctld = 0, n1 = 0, n2 = 0]: readonly number[]) {
  const at = (name: string): string => join(folder, name);
  const node = `NodeHostname=${hostname()} NodeAddr=127.0.0.1 CPUs=1`;
  return `ClusterName=arlarena
SlurmctldHost=${hostname()}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort=${ctld}
AuthType=auth/munge
AuthInfo=socket=${at("munge.sock")}
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
StateSaveLocation=${at("state")}
SlurmdSpoolDir=${at("spool/%n")}
SlurmctldPidFile=${at("slurmctld.pid")}
SlurmdPidFile=${at("slurmd.%n.pid")}
SlurmctldLogFile=${at("slurmctld.log")}
SlurmdLogFile=${at("slurmd.%n.log")}
PluginDir=${plugins}
ReturnToService=2
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SlurmdParameters=config_overrides
NodeName=n1 ${node} Port=${n1}
NodeName=n2 ${node} Port=${n2}
PartitionName=short Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
`;
}
