import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readSecrets } from "#server/config/secrets.ts";
import { TrainersFile, type AttemptPaths, type ExternalJob } from "#packages/trainers";
import { isEnded, type JobState } from "#server/domain/fleet/job.ts";
import { checkTrainer } from "#server/domain/fleet/nodes/check.ts";
import { Node } from "#server/domain/fleet/nodes/node.ts";
import { checkNode, checkProgram } from "#server/engine/orchestrator/checkNodes.ts";
import { inBoth, isSoak } from "#server/testing/soak.ts";
import { bundleTools } from "#server/start/bundleTools.ts";
import { methodOf } from "#trainer/spec/method.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import type { Launcher } from "./launcher.ts";
import { makeLauncher, type Site } from "./registry.ts";
import { makeSlurmLauncher } from "./slurm/slurm.ts";
import { findSlurm, makeSlurmCluster } from "./slurm/testing/realSlurm.ts";
import { makeAskSlurm } from "./slurm/cluster.ts";
import { findSshd, makeSshServer } from "./ssh/testing/sshServer.ts";
import { makeRayCluster } from "./ray/testing/realRay.ts";
import { findText, makeWhereabouts, readWhere, type Whereabouts } from "./testing/whereabouts.ts";

const secret = `planted-${"x7".repeat(12)}`;
const spec = RunSpec.parse({
  v: 1,
  seed: 1,
  environment: { id: "sokoban" },
  method: methodOf("grpo"),
  trainer: { name: "theirs", secrets: ["PLANTED_TOKEN"] },
});

const templates = TrainersFile.parse({ trainers: { verl: { kind: "verl", flavour: "verl" } } }).trainers;
const sshd = findSshd();
const slurm = findSlurm();
/** Python with `ray[default]`. */
const python = process.env["ARLARENA_RAY_PYTHON"] ?? "";

type Running = { node: Node; launcher: Launcher; look: () => string };

const kinds = [
  { kind: "local", missing: undefined },
  { kind: "ssh", missing: "missing" in sshd ? sshd.missing : undefined },
  { kind: "slurm", missing: "missing" in slurm ? slurm.missing : undefined },
  { kind: "pyxis", missing: "missing" in slurm ? slurm.missing : undefined },
  { kind: "ray", missing: python === "" ? "ARLARENA_RAY_PYTHON names no Python that has ray[default]" : undefined },
] as const;
const tried = kinds.filter(({ kind }) => (kind === "local") !== isSoak);

describe.each(tried)(
  "a program of another trainer: $kind (skipped where: $missing)",
  { tags: inBoth },
  ({ kind, missing }) => {
    let home = "";
    let places: Whereabouts;
    let running: Running;
    let close: () => Promise<void> = () => Promise.resolve();

    const resolve = (given: RunSpec, paths: AttemptPaths): ExternalJob =>
      given.trainer?.name === checkTrainer ? checkProgram(templates, paths) : theirs(given, paths);
    const theirs = (given: RunSpec, { folder }: AttemptPaths): ExternalJob => ({
      name: "theirs",
      argv: [process.execPath, places.program],
      // A secret that a template contains literally must be hidden too.
      environment: { SPELT_PASSWORD: `${secret}-spelt`, PLAIN: "plain", LINGER_MS: "1500" },
      folder,
      metrics: { kind: "jsonLines" },
      notes: [],
      ...(given.trainer?.secrets && { secrets: given.trainer.secrets }),
    });

    beforeAll(async () => {
      if (missing !== undefined) return;
      home = await mkdtemp(join(tmpdir(), "arlarena-place-"));
      await chmod(home, 0o755);
      places = await makeWhereabouts(home, "missing" in slurm ? "srun" : join(slurm.bin, "srun"));
      const agent = await bundleTools(home);
      const nodeModules = fileURLToPath(new URL("../../../node_modules", import.meta.url));
      const trainer = join(home, "trainers/h/trainer.mjs");
      await mkdir(dirname(trainer), { recursive: true });
      const site: Site = {
        home: join(home, "studio"),
        trainer: { command: [process.execPath], environment: {} },
        external: { command: [process.execPath, join(dirname(agent), "adapter.mjs")], resolve },
        readSecrets: (names) => readSecrets({ home, environment: { PLANTED_TOKEN: secret } }, names),
        bundle: { trainer, agent, nodeModules, engineVersion: "1" },
      };
      running = await start(site);
    });
    afterAll(async () => {
      await close();
      await rm(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    });

    async function start(site: Site): Promise<Running> {
      const settings = {
        name: "here",
        setup: [`export PATH=${places.programs}:$PATH`, "export PREPARED=yes"],
        container: { image: places.image, mounts: [`${places.programs}:/opt/programs:ro`] },
        secrets: ["PLANTED_TOKEN"],
      };
      const far = { ...settings, folder: join(home, "there"), node: process.execPath };
      const job = { slots: { per: "job", count: 2 } };
      const core = { slots: { per: "core", count: 2 } };
      const ofNode = (node: Node, look = () => ""): Running => ({ node, launcher: makeLauncher(node, site), look });
      if (kind === "local") {
        return ofNode(Node.parse({ kind, ...settings, ...core }));
      }
      if (kind === "ssh" && !("missing" in sshd)) {
        const server = await makeSshServer(join(home, "server"), sshd);
        close = () => server.close();
        const { port, user, identityFile, hostKey } = server;
        const keys = { host: "127.0.0.1", port, user, identityFile, hostKeys: [hostKey] };
        return ofNode(Node.parse({ kind, ...far, ...keys, ...core }));
      }
      if (kind === "ray") {
        const cluster = await makeRayCluster(python, 2);
        close = () => cluster.close();
        const look = () => execFileSync("curl", ["-s", `${cluster.address}/api/jobs/`], { encoding: "utf8" });
        return ofNode(Node.parse({ kind, ...far, address: cluster.address, ...job }), look);
      }
      if ("missing" in slurm) throw new Error(slurm.missing);
      const cluster = await makeSlurmCluster(join(home, "slurm"), slurm);
      close = () => cluster.close();
      const container = { ...settings.container, runtime: kind === "pyxis" ? "pyxis" : "apptainer" };
      const node = Node.parse({ kind: "slurm", ...far, container, sbatch: ["--nice=7"], arrays: false, ...job });
      if (node.kind !== "slurm" || site.bundle === undefined) throw new Error("no Slurm node");
      const env = { ...process.env, ...cluster.environment };
      const options = { node, home: site.home, bundle: site.bundle, resolve, readSecrets: site.readSecrets };
      const show = (...argv: string[]) => execFileSync("scontrol", argv, { env, encoding: "utf8" });
      return {
        node,
        launcher: makeSlurmLauncher({ ...options, ask: makeAskSlurm(env), pollMs: 500, gatherMs: 0 }),
        look: () => show("show", "job", "-d"),
      };
    }

    it.skipIf(missing !== undefined)(
      `runs in the image, after the setup, with its secret, which is seen nowhere${missing === undefined ? "" : ` (skipped: ${missing})`}`,
      async () => {
        const { launcher, look } = running;
        const jobId = "placed.1";
        await launcher.launch({ jobId, spec, devices: [] });
        const seen: string[] = [];
        let state: JobState | undefined;
        while (state === undefined || !isEnded(state)) {
          state = (await launcher.observe([{ jobId, logOffset: 0 }])).states.get(jobId);
          seen.push(execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }), look());
          await new Promise((done) => setTimeout(done, 200));
        }
        const folder = launcher.folderOf(jobId);
        const [stdout, stderr] = await Promise.all(
          ["stdout.log", "stderr.log"].map((name) => readFile(join(folder, name), "utf8").catch(() => "")),
        );
        expect(state, `${stdout}${stderr}`).toMatchObject({ state: "exited", exitCode: 0 });
        const where = readWhere(stdout ?? "");
        expect(where).toMatchObject({
          host: hostname(),
          image: places.image,
          runtime: kind === "pyxis" ? "pyxis" : "apptainer",
          prepared: "yes",
          plain: "plain",
          hash: createHash("sha256").update(secret).digest("hex"),
        });
        expect(where.cwd).toMatch(/\/placed\/1$/);
        expect(where.mounts).toMatch(/\/placed:.*\/placed,.*:\/opt\/programs:ro$/);
        expect(where.names).toContain("SPELT_PASSWORD");
        expect(where.names).not.toContain("ARLARENA_SECRETS");
        expect(where.names).not.toContain("ARLARENA_SEAL");
        expect(stdout).toContain("careless: ***");
        expect(stderr).toContain("careless: ***");
        expect(seen.join("\n")).not.toContain(secret);
        if (kind === "slurm") expect(seen.join("\n")).toMatch(/Nice=7/);
        expect(await findText(home, secret)).toEqual([]);
      },
      240_000,
    );

    it.skipIf(missing !== undefined)(
      `answers a check by a job of its own${missing === undefined ? "" : ` (skipped: ${missing})`}`,
      async () => {
        const check = await checkNode(running, { templates: () => templates, runsFolder: join(home, "studio/runs") });
        const found = new Map(check.items.map((item) => [item.name, item]));
        expect(found.get("Job"), JSON.stringify(check.items)).toBeUndefined();
        expect(found.get("Machine")?.found).toContain(hostname());
        expect(found.get("Python (python3)")).toMatchObject({ found: expect.stringMatching(/^3\.\d+/), todo: null });
        expect(found.get("Trainer verl")?.todo).toContain("pip install verl there");
        expect(found.get(running.node.kind === "slurm" ? "Shared folder" : "File transfer")).toMatchObject({
          todo: null,
        });
      },
      240_000,
    );
  },
);
