import { spawn } from "node:child_process";
import { existsSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { parseJobId } from "../launcher.ts";
import { onlyKnown } from "./earlier.ts";
import { makeDelivery } from "./delivery.ts";
import { theirEnvironment } from "./environment.ts";
import { CourierJob, notOursCode } from "./protocol.ts";
import { sealVariable, unseal } from "./seal.ts";
import { afterSetup, setupFile, setupText } from "../wrapper.ts";
import { ownersAlone } from "../files.ts";

/**
 * Program of a Ray job: `courier.mjs TOOLS JOB [WHEELS]` (folders of unpacked packages). It runs the trainer in the
 * attempt's folder and copies new file contents into the job's log, from which the studio rebuilds the folder.
 */
const [tools = "", jobFolder = "", wheels] = process.argv.slice(2);
const job = CourierJob.parse(JSON.parse(readFileSync(join(jobFolder, "job.json"), "utf8")));
const { runId, attempt } = parseJobId(job.jobId);
const runFolder = join(job.folder, "runs", runId);
const folder = join(runFolder, String(attempt));

// If the cluster's machines share the folder, an attempt trains only once, even if Ray starts it twice.
mkdirSync(runFolder, { recursive: true });
try {
  mkdirSync(folder);
} catch (error) {
  console.error(`another job of this attempt has ${folder}: ${String(error)}`);
  process.exit(notOursCode);
}

const delivery = makeDelivery({ folder, fd: 1 });
const code = await train();
await delivery.end(code);
process.exitCode = code;

async function train(): Promise<number> {
  const specFile = join(folder, "spec.json");
  writeFileSync(specFile, `${JSON.stringify(job.spec, null, 2)}\n`);
  if (job.external) writeFileSync(join(folder, "external.json"), JSON.stringify(job.external), ownersAlone);
  if (job.setup.length > 0) writeFileSync(join(folder, setupFile.name), setupText(job.setup), setupFile);
  const program = join(tools, job.external ? "adapter.mjs" : "trainer.mjs");
  const earlier = listEarlier().flatMap((other) => ["--resume-from", other]);
  const output = ["stdout.log", "stderr.log"].map((name) => openSync(join(folder, name), "a"));
  const command = [process.execPath, program, specFile, folder, ...earlier];
  const [first = "", ...argv] = afterSetup(folder, job.setup, command);
  const { [sealVariable]: key = "", ...environment } = process.env;
  const secrets = job.sealed === null ? {} : unseal(job.sealed, key);
  const child = spawn(first, argv, {
    cwd: folder,
    stdio: ["ignore", ...output],
    env: { ...theirEnvironment(environment), ...ourEnvironment(), ...job.environment, ...secrets },
  });
  // Ray sends signals to every process of a job, but other senders may signal only this process.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => child.kill("SIGTERM"));
  const parent = process.ppid;
  const looking = setInterval(() => {
    // A new parent means that the job's Ray supervisor has ended, so the next attempt may already have begun.
    if (process.ppid !== parent) child.kill("SIGTERM");
    delivery.look();
  }, 500);
  const ended = await new Promise<number>((resolve) => {
    child.once("error", (error) => {
      console.error(`${first} could not be started: ${error.message}`);
      resolve(127);
    });
    child.once("close", (exitCode, signal) => resolve(exitCode ?? 128 + (constants.signals[signal ?? "SIGKILL"] ?? 0)));
  });
  clearInterval(looking);
  return ended;
}

function ourEnvironment(): Record<string, string> {
  return {
    NODE_ENV: "production",
    OMP_NUM_THREADS: "1",
    ARLARENA_LOOKS: "1",
    ARLARENA_GRAPH_CACHE: join(job.folder, "graphs"),
    ...(wheels !== undefined && { ARLARENA_PYTHON_PACKAGES: wheels }),
  };
}

/** Lists earlier attempts to resume from, newest first: attempts on this machine, and the one in the job's package. */
function listEarlier(): string[] {
  const here = readdirSync(runFolder)
    .filter((name) => Number(name) < attempt && existsSync(join(runFolder, name, "checkpoints")))
    .map((name) => ({ number: Number(name), path: join(runFolder, name) }));
  const brought = job.earlier === null ? [] : [{ number: job.earlier, path: join(jobFolder, "earlier") }];
  const all = [...brought, ...here].toSorted((one, other) => other.number - one.number);
  // Other trainers choose among all their checkpoints themselves.
  if (job.external) return all.map(({ path }) => path);
  return all.flatMap(
    ({ path }, i) => onlyKnown({ path, into: join(folder, "earlier", String(i)), known: job.known }) ?? [],
  );
}
