import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { SlurmNode } from "#server/domain/fleet/nodes/node.ts";
import { Elsewhere } from "#trainer/spec/elsewhere.ts";
import { groupFiles } from "#trainer/spec/keptGroup.ts";
import { methods } from "#trainer/spec/method.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import type { Job, Launcher } from "../launcher.ts";
import { makeGroups, readLastTokens } from "../testing/keptGroups.ts";
import { makeAskSlurm, type SlurmOptions } from "./cluster.ts";
import { makeSlurmLauncher } from "./slurm.ts";
import { type FakeSlurm, makeFakeSlurm } from "./testing/fakeSlurm.ts";

const { aggregation, clipping, advantage, sampling } = methods.grpo;
const method = { aggregation, clipping, advantage, sampling };
const spec = RunSpec.parse({ v: 1, seed: 0, environment: { id: "sokoban" }, method });
const jobIds = ["r-c0-s0.1", "r-c0-s1.1", "r-c1-s0.1"];

const root = mkdtempSync(join(tmpdir(), "arlarena-arrays-"));
afterAll(() => rmSync(root, { recursive: true }));
let numStages = 0;
let folder = "";
let fake: FakeSlurm;
let launcher: Launcher;
let skewMs = 0;

beforeEach(() => {
  folder = join(root, String(++numStages));
  skewMs = 0;
  fake = makeFakeSlurm(folder);
  // These test programs replace the trainer and the adapter.
  const trainers = join(folder, "shared/bundles/slurm-abc-1");
  mkdirSync(trainers, { recursive: true });
  writeFileSync(join(trainers, "trainer.mjs"), 'printf "trained %s" "$2"; exit 3\n');
  mkdirSync(join(folder, "tools/def"), { recursive: true });
  writeFileSync(join(folder, "tools/def/adapter.mjs"), otherTrainer);
  launcher = make();
});

/** Starts a child program, as an adapter does, and forwards no signals: the process group receives them. */
const otherTrainer = `
trap 'echo adapter >>"$2/heard"; wait; exit 75' TERM
sh -c 'trap "echo program >>\\"$0/heard\\"; exit 0" TERM; : >"$0/up"; while :; do sleep 0.05; done' "$2" &
while :; do wait; done
`;

function make(change: Partial<SlurmOptions> = {}): Launcher {
  const slots = { per: "job", count: 50 };
  const node = SlurmNode.parse({ kind: "slurm", name: "c", folder: join(folder, "shared"), slots, node: "/bin/sh" });
  const tools = { agent: join(folder, "tools/def/agent.mjs"), nodeModules: "", engineVersion: "1" };
  return makeSlurmLauncher({
    node,
    home: folder,
    bundle: { trainer: "/trainers/abc/trainer.mjs", ...tools },
    resolve: ({ trainer }, { run, attempt }) => {
      if (trainer?.name !== "theirs") throw new Error("there is no trainer of this name");
      return { name: "theirs", argv: [run, String(attempt)], environment: {}, folder, metrics, notes: [] };
    },
    ask: makeAskSlurm({ PATH: fake.path }),
    pollMs: 0,
    // This time is longer than a test, so only a poll submits jobs.
    gatherMs: 600_000,
    now: () => Date.now() + skewMs,
    ...change,
  });
}
const metrics = { kind: "jsonLines" } as const;
/** Short timeout for tools that never respond; other tools may take as long as they need. */
const hasty = () => ({ ask: makeAskSlurm({ PATH: fake.path }, 1500) });

async function launch(ids: readonly string[], change: Partial<Job> = {}): Promise<void> {
  for (const jobId of ids) await launcher.launch({ jobId, spec, devices: [], ...change });
}
async function look(ids: readonly string[] = jobIds) {
  const { states } = await launcher.observe(ids.map((jobId) => ({ jobId, logOffset: 0 })));
  return ids.map((jobId) => states.get(jobId));
}
const calls = (tool: string) => fake.calls().filter((call) => call.startsWith(`${tool} `));
/** Returns the number of jobs in each submission. */
const sizes = () => fake.scripts().map((text) => 1 + Number(/--array=0-(\d+)/.exec(text)?.[1] ?? 0));
const line = (id: string, state: string, reason = "None") => `${id}|x|${state}|${reason}|n7|2026-11-21T10:00:00\n`;

describe("runs launched together", () => {
  it("are one array, and each is judged, cancelled and tried again by itself", async () => {
    fake.say("sbatch", "4711\n");
    await launch(jobIds);
    expect(fake.calls()).toEqual([]);
    fake.say("squeue", line("4711_0", "RUNNING") + line("4711_[1-2%1]", "PENDING", "JobArrayTaskLimit"));
    expect(await look()).toMatchObject([
      { state: "running", host: "n7" },
      { state: "queued", why: "JobArrayTaskLimit" },
      { state: "queued" },
    ]);
    expect(calls("sbatch")).toHaveLength(1);
    expect(fake.scripts()[0]).toContain("#SBATCH --array=0-2\n");
    expect(readdirSync(join(folder, "shared/arrays")), "Slurm has a copy of its own").toEqual([]);

    await launcher.cancel("r-c0-s1.1");
    await launcher.cancel("r-c0-s0.1");
    // With --state, a real scancel ends the whole array.
    expect(calls("scancel")).toEqual(["scancel 4711_1", "scancel --batch --signal=TERM 4711_0"]);

    fake.say("squeue", line("4711_2", "RUNNING"));
    fake.say(
      "sacct",
      "4711_0|x|FAILED|3:0|2026-11-21T10:00:00|n7|None\n4711_1|x|CANCELLED by 0|0:0|2026-11-21T10:00:00|n7|None\n",
    );
    writeFileSync(join(launcher.folderOf("r-c0-s0.1"), "exit"), "3\n");
    expect(await look()).toMatchObject([
      { state: "exited", exitCode: 3 },
      { state: "lost", cause: "cancelled_outside" },
      { state: "running" },
    ]);

    fake.say("sbatch", "4712\n");
    await launch(["r-c0-s0.2"]);
    fake.say("squeue", line("4712", "RUNNING") + line("4711_2", "RUNNING"));
    expect(await look(["r-c0-s0.2", "r-c1-s0.1"])).toMatchObject([{ state: "running" }, { state: "running" }]);
    expect(sizes()).toEqual([3, 1]);
  });

  it("evaluate the policy that a run left on the shared disk, by the request beside their script", async () => {
    fake.say("sbatch", "4711\n");
    const left = launcher.folderOf("r-c0-s0.1");
    mkdirSync(left, { recursive: true });
    const evaluation = Elsewhere.parse({ environment: { id: "sokoban", size: 7 } });
    await launch(["evaluation-1.1"], { evaluates: { runId: "r-c0-s0", evaluation, iteration: null } });
    await look([]);
    const path = join(launcher.folderOf("evaluation-1.1"), "request.json");
    expect(fake.scripts()[0]).toContain(`--evaluate ${path}`);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ spec: { seed: 0 }, evaluation, folders: [left] });
  });

  it("are known to have run where they say themselves, where Slurm has forgotten them", async () => {
    fake.say("sbatch", "4711\n");
    await launch(jobIds);
    await look();
    fake.say("squeue", "");
    fake.say("sacct", "4711_1|x|COMPLETED|0:0|2026-11-21T10:00:00|n8|None\n");
    for (const [i, host] of ["n7\n", "n7\n", "two words\n"].entries()) {
      const own = launcher.folderOf(jobIds[i] ?? "");
      writeFileSync(join(own, "exit"), "0\n");
      writeFileSync(join(own, "host"), host);
    }
    expect(await look()).toEqual([
      { state: "exited", exitCode: 0, host: "n7" },
      { state: "exited", exitCode: 0, host: "n8" },
      { state: "exited", exitCode: 0 },
    ]);
  });

  it("are asked for again without being submitted again", async () => {
    fake.say("sbatch", "4711\n");
    fake.say("squeue", jobIds.map((_, i) => line(`4711_${i}`, "RUNNING")).join(""));
    await launch(jobIds);
    await look();
    launcher = make();
    await launch(jobIds);
    expect(await look()).toMatchObject(jobIds.map(() => ({ state: "running" })));
    expect(calls("sbatch")).toHaveLength(1);
  });

  it("leave one at a time: a task cancelled before it began is over, accounting or not", async () => {
    fake.say("sbatch", "4711\n");
    fake.say("squeue", line("4711_0", "RUNNING") + line("4711_[1-2]", "PENDING", "Resources"));
    fake.say("sacct", { err: "Slurm accounting storage is disabled\n", code: 1 });
    await launch(jobIds);
    await look();
    await launcher.cancel("r-c1-s0.1");
    fake.say("squeue", line("4711_0", "RUNNING"));
    expect(await look()).toMatchObject([
      { state: "running" },
      { state: "unknown" },
      { state: "exited", exitCode: 143 },
    ]);
  });

  it("are found by the array's name when sbatch left no answer", async () => {
    fake.say("sbatch", { never: "answers" });
    launcher = make(hasty());
    await launch(jobIds);
    await look();
    const name = /--job-name=(\S+)/.exec(fake.scripts()[0] ?? "")?.[1] ?? "";
    fake.say("sbatch", "9999\n");
    fake.say("squeue", `4711_[0-2]|${name}|PENDING|Priority|n/a|2026-11-21T10:00:00\n`);
    skewMs = 200_000;
    launcher = make();
    await launch(jobIds);
    expect(await look()).toMatchObject(jobIds.map(() => ({ state: "queued", why: "Priority" })));
    expect(calls("sbatch")).toHaveLength(1);
    await launcher.cancel("r-c1-s0.1");
    expect(calls("scancel")[0]).toBe("scancel 4711_2");
  });

  it.each(["Invalid job array specification", "Job array index too large, or job arrays are not supported"])(
    "go in halves where the site says: %s",
    async (words) => {
      fake.say("sbatch", { err: `sbatch: error: Batch job submission failed: ${words}\n`, code: 1 });
      await launch(jobIds);
      await look();
      expect(sizes(), "that one alone is not taken is no matter of arrays: it waits").toEqual([3, 2, 1]);
      skewMs = 30_000;
      fake.say("sbatch", "4711\n");
      fake.say("squeue", "");
      await launch(jobIds);
      await look();
      expect(sizes(), "from now on without").toEqual([3, 2, 1, 1, 1, 1]);
    },
  );

  it("wait and come back fewer at a time where there is no room for all", async () => {
    fake.say("sbatch", { err: "sbatch: error: QOSMaxSubmitJobPerUserLimit\n", code: 1 });
    await launch(jobIds);
    expect(await look()).toMatchObject(jobIds.map(() => ({ state: "submitted", why: /QOSMaxSubmit/ })));
    skewMs = 30_000;
    fake.say("sbatch", "4711\n");
    fake.say("squeue", "");
    await launch(jobIds);
    await look();
    expect(sizes(), "more again, once one was taken").toEqual([3, 1, 2]);
  });

  it("are several arrays where they ask for different machines", async () => {
    fake.say("sbatch", "4711\n");
    await launch(jobIds.slice(0, 1), { avoidHosts: ["n9"] });
    await launch(jobIds.slice(1));
    await look();
    expect(fake.scripts().map((text) => [text.includes("--exclude=n9"), text.includes("--array")])).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  it("each do their own work as a task, and leave their own exit code", async () => {
    fake.say("sbatch", "4711\n");
    await launch(jobIds);
    await look();
    const [script = ""] = fake.scripts();
    const { status } = spawnSync("/bin/sh", ["-c", script], {
      env: { ...process.env, SLURM_ARRAY_JOB_ID: "4711", SLURM_ARRAY_TASK_ID: "1", SLURM_JOB_ID: "4713" },
    });
    expect(status).toBe(3);
    const [before, own, after] = jobIds.map((jobId) => launcher.folderOf(jobId));
    expect(readFileSync(join(own ?? "", "stdout.log"), "utf8")).toBe(`trained ${own}`);
    expect(readFileSync(join(own ?? "", "exit"), "utf8")).toBe("3  \n");
    expect(readFileSync(join(own ?? "", "claim"), "utf8"), "as Slurm's lists name it").toBe("4711_1\n");
    for (const other of [before, after]) expect(readdirSync(other ?? "")).not.toContain("exit");
  });

  it("write training groups on the shared disk, where each is read by its range while others are written", async () => {
    const written = join(folder, "written");
    const write = makeGroups(written);
    write(5);
    const { size } = statSync(join(written, groupFiles.tokens));
    write(10);
    const copy = `cp '${written}/${groupFiles.index}' "$2"; head -c ${size + 9} '${written}/${groupFiles.tokens}'`;
    const trainer = join(folder, "shared/bundles/slurm-abc-1/trainer.mjs");
    writeFileSync(trainer, `${copy} >"$2/${groupFiles.tokens}"\n`);
    fake.say("sbatch", "4711\n");
    await launch(["r-c0-s0.1"]);
    await look(["r-c0-s0.1"]);
    spawnSync("/bin/sh", ["-c", fake.scripts()[0] ?? ""], { env: { ...process.env, SLURM_JOB_ID: "4711" } });
    const own = launcher.folderOf("r-c0-s0.1");
    expect(await readLastTokens(own)).toEqual(["5 1999"]);
    copyFileSync(join(written, groupFiles.tokens), join(own, groupFiles.tokens));
    expect(await readLastTokens(own)).toEqual(["5 1999", "10 1999"]);
  });
});

describe("runs launched together, where something is in the way", () => {
  it("are submitted each alone where arrays are off, though they overlap", async () => {
    fake.say("sbatch", "4711\n");
    launcher = make({ gatherMs: 0 });
    await Promise.all(jobIds.map((jobId) => launcher.launch({ jobId, spec, devices: [] })));
    expect(sizes()).toEqual([1, 1, 1]);
  });

  it("are submitted without the one that cannot be, of which it is said", async () => {
    fake.say("sbatch", "4711\n");
    fake.say("squeue", line("4711_0", "RUNNING") + line("4711_1", "RUNNING"));
    const [bad = "", ...good] = jobIds;
    // A file in place of the job's folder prevents both writing a spec and reading a receipt.
    mkdirSync(dirname(launcher.folderOf(bad)), { recursive: true });
    writeFileSync(launcher.folderOf(bad), "");
    await launch(jobIds);
    const running = good.map(() => ({ state: "running" }));
    expect(await look()).toMatchObject([{ state: "unknown", why: /ENOTDIR/ }, ...running]);
    expect(sizes()).toEqual([2]);

    rmSync(launcher.folderOf(bad));
    mkdirSync(join(launcher.folderOf(bad), "spec.json"), { recursive: true });
    await launch([bad]);
    expect(await look()).toMatchObject([{ state: "submitted", why: /not submitted yet: EISDIR/ }, ...running]);
  });

  it("let another request be submitted, when one is put off for a reason of its own", async () => {
    const [odd = "", ...others] = jobIds;
    fake.say("sbatch", { err: "sbatch: error: something about n9\n", code: 1 });
    await launch([odd], { avoidHosts: ["n9"] });
    expect(await look([odd])).toMatchObject([{ state: "submitted", why: "not submitted yet: something about n9" }]);
    skewMs = 30_000;
    await launch([odd], { avoidHosts: ["n9"] });
    await launch(others);
    await look();
    expect(fake.scripts().at(-1)).not.toContain("--exclude");
  });

  it("are looked for together when no answer came, and nobody waits long for that", async () => {
    const many = Array.from({ length: 20 }, (_, i) => `r-c${i}-s0.1`);
    fake.say("sbatch", { never: "answers" });
    launcher = make(hasty());
    await launch(many);
    await look(many);
    skewMs = 200_000;
    fake.say("sacct", { never: "answers" });
    launcher = make({ ...hasty(), patienceMs: 0 });
    await launch(many);
    const before = calls("squeue").length;
    expect(await look(many)).toMatchObject(many.map(() => ({ state: "submitted" })));
    await launcher.cancel("other.1");
    expect(calls("squeue").length - before).toBeLessThanOrEqual(2);
    expect(calls("sacct")).toHaveLength(1);
  });

  it("are all cancelled at one look at the queue", async () => {
    fake.say("sbatch", "4711\n");
    fake.say("squeue", line("4711_[0-2]", "PENDING", "Priority"));
    await launch(jobIds);
    await look();
    const before = calls("squeue").length;
    // The response takes long enough for all three cancellations to ask for it, even if files are read slowly.
    fake.say("squeue", { out: line("4711_[0-2]", "PENDING", "Priority"), afterS: 2 });
    await Promise.all(jobIds.map((jobId) => launcher.cancel(jobId)));
    expect(calls("squeue").length - before).toBe(1);
    expect(calls("scancel").toSorted()).toEqual(["scancel 4711_0", "scancel 4711_1", "scancel 4711_2"]);
  });

  it("are cancelled a few at a time", async () => {
    const many = Array.from({ length: 30 }, (_, i) => `r-c${i}-s0.1`);
    fake.say("sbatch", "4711\n");
    fake.say("squeue", line("4711_[0-29]", "PENDING", "Priority"));
    await launch(many);
    await look(many);
    mkdirSync(join(folder, "now"));
    const count = `cd '${folder}/now'; echo >$$; set -- *; echo $# >>../most; /bin/sleep 0.2; /bin/rm $$`;
    writeFileSync(join(fake.path, "scancel"), `#!/bin/sh\n${count}\n`, { mode: 0o755 });
    await Promise.all(many.map((jobId) => launcher.cancel(jobId)));
    const counts = readFileSync(join(folder, "most"), "utf8").trim().split("\n").map(Number);
    expect(counts).toHaveLength(30);
    expect(Math.max(...counts)).toBeLessThanOrEqual(8);
  });

  it("are left to who acts next, once we do no longer", async () => {
    await launch(jobIds);
    launcher.letGo?.();
    expect(await look()).toMatchObject(jobIds.map(() => ({ state: "submitted" })));
    expect(calls("sbatch")).toEqual([]);
  });

  it("keep no process alive that has stopped acting", async () => {
    const path = JSON.stringify(join(import.meta.dirname, "slurm.ts"));
    const nodePath = JSON.stringify(join(import.meta.dirname, "../../../domain/fleet/nodes/node.ts"));
    const at = JSON.stringify(join(folder, "shared"));
    const program = `
      import { makeSlurmLauncher } from ${path};
      import { SlurmNode } from ${nodePath};
      const slots = { per: "job", count: 5 };
      const node = SlurmNode.parse({ kind: "slurm", name: "c", folder: ${at}, slots });
      const ask = async () => ({ exitCode: 0, stdout: "", stderr: "" });
      const launcher = makeSlurmLauncher({ node, home: ${at}, bundle: {}, ask, pollMs: 3600_000, gatherMs: 3600_000 });
      await launcher.observe([]);
      await launcher.launch({ jobId: "r.1", spec: {}, devices: [] });
      void launcher.observe([]);
    `;
    const argv = ["--import", import.meta.resolve("tsx"), "--input-type=module", "-e", program];
    const { status, stderr } = spawnSync(process.execPath, argv, { timeout: 120_000, encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
  });
});

describe("programs of other trainers", () => {
  const theirs = (name: string) => ({ spec: RunSpec.parse({ ...spec, trainer: { name, options: {} } }) });

  it("run under the adapter, which finds in the job's folder what to start; a warning reaches both", async () => {
    fake.say("sbatch", "4711\n");
    await launch(["r-c0-s0.1"], theirs("theirs"));
    await look(["r-c0-s0.1"]);
    const own = launcher.folderOf("r-c0-s0.1");
    expect(JSON.parse(readFileSync(join(own, "external.json"), "utf8"))).toMatchObject({ argv: ["r-c0-s0", "1"] });
    const script = join(own, "job.sbatch");
    const play = `/bin/sh ${script} & job=$!; until [ -e ${own}/up ]; do sleep 0.05; done; kill -TERM $job; wait $job`;
    spawnSync("/bin/sh", ["-c", play], { env: { ...process.env, SLURM_JOB_ID: "4711" } });
    expect(readFileSync(join(own, "heard"), "utf8").split("\n").toSorted()).toEqual(["", "adapter", "program"]);
    expect(readFileSync(join(own, "exit"), "utf8")).toBe("75 \n");
  });

  it("that nobody knows fail in their log, with the reason", async () => {
    fake.say("sbatch", "4711\n");
    await launch(["r-c0-s0.1"], theirs("unlisted"));
    await look(["r-c0-s0.1"]);
    const text = readFileSync(join(launcher.folderOf("r-c0-s0.1"), "external.json"), "utf8");
    expect(text).toContain("there is no trainer of this name");
  });
});
