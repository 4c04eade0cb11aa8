import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { SlurmNode } from "#server/domain/nodes/node.ts";
import { methods } from "#trainer/spec/method.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import type { Job, Launcher } from "../launcher.ts";
import { makeSlurmLauncher } from "./slurm.ts";
import { type FakeSlurm, makeFakeSlurm } from "./testing/fakeSlurm.ts";
import { makeAskSlurm } from "./tools.ts";

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
  // Programs of the test, in place of a trainer and of what runs those of others.
  const trainers = join(folder, "shared/bundles/slurm-abc-1");
  mkdirSync(trainers, { recursive: true });
  writeFileSync(join(trainers, "trainer.mjs"), 'printf "trained %s" "$2"; exit 3\n');
  mkdirSync(join(folder, "tools/def"), { recursive: true });
  writeFileSync(join(folder, "tools/def/adapter.mjs"), otherTrainer);
  launcher = make();
});

/** Starts a program of its own, as an adapter does, and passes no signal on: the group gets it. */
const otherTrainer = `
trap 'echo adapter >>"$2/heard"; wait; exit 75' TERM
sh -c 'trap "echo program >>\\"$0/heard\\"; exit 0" TERM; while :; do sleep 0.05; done' "$2" &
echo started >"$2/up"
while :; do wait; done
`;

function make(): Launcher {
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
    ask: makeAskSlurm({ PATH: fake.path }, 1500),
    pollMs: 0,
    // Longer than a test: the look at the jobs submits them.
    gatherMs: 600_000,
    now: () => Date.now() + skewMs,
  });
}
const metrics = { kind: "jsonLines" } as const;

async function launch(ids: readonly string[], change: Partial<Job> = {}): Promise<void> {
  for (const jobId of ids) await launcher.launch({ jobId, spec, devices: [], ...change });
}
async function look(ids: readonly string[] = jobIds) {
  const { states } = await launcher.observe(ids.map((jobId) => ({ jobId, logOffset: 0 })));
  return ids.map((jobId) => states.get(jobId));
}
const calls = (tool: string) => fake.calls().filter((call) => call.startsWith(`${tool} `));
const scripts = () => calls("sbatch").map((call) => readFileSync(call.replace("sbatch --parsable ", ""), "utf8"));
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
    expect(scripts()[0]).toContain("#SBATCH --array=0-2\n");

    await launcher.cancel("r-c0-s1.1");
    await launcher.cancel("r-c0-s0.1");
    // With --state a real scancel takes the whole array.
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
    expect(scripts()[1]).not.toContain("--array");
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
    await launch(jobIds);
    await look();
    const name = /--job-name=(\S+)/.exec(scripts()[0] ?? "")?.[1] ?? "";
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
      const sizes = scripts().map((text) => /--array=0-(\d)/.exec(text)?.[1] ?? "none");
      expect(sizes).toEqual(["2", "1", "none", "none", "none"]);
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
    expect(calls("sbatch").length).toBe(4);
    expect(scripts().map((text) => text.includes("--array"))).toEqual([true, false, false, false]);
  });

  it("are several arrays where they ask for different machines", async () => {
    fake.say("sbatch", "4711\n");
    await launch(jobIds.slice(0, 1), { avoidHosts: ["n9"] });
    await launch(jobIds.slice(1));
    await look();
    expect(scripts().map((text) => [text.includes("--exclude=n9"), text.includes("--array")])).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  it("each do their own work as a task, and leave their own exit code", async () => {
    fake.say("sbatch", "4711\n");
    await launch(jobIds);
    await look();
    const script = calls("sbatch")[0]?.replace("sbatch --parsable ", "") ?? "";
    const { status } = spawnSync("/bin/sh", [script], {
      env: { ...process.env, SLURM_ARRAY_TASK_ID: "1", SLURM_JOB_ID: "4713" },
    });
    expect(status).toBe(3);
    const [before, own, after] = jobIds.map((jobId) => launcher.folderOf(jobId));
    expect(readFileSync(join(own ?? "", "stdout.log"), "utf8")).toBe(`trained ${own}`);
    expect(readFileSync(join(own ?? "", "exit"), "utf8")).toBe("3\n");
    for (const other of [before, after]) expect(readdirSync(other ?? "")).not.toContain("exit");
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
    const play = `/bin/sh ${script} & job=$!; until [ -e ${own}/up ]; do sleep 0.05; done; sleep 0.2; kill -TERM $job; wait $job`;
    spawnSync("/bin/sh", ["-c", play], { env: { ...process.env, SLURM_JOB_ID: "4711" }, timeout: 20_000 });
    expect(readFileSync(join(own, "heard"), "utf8").split("\n").toSorted()).toEqual(["", "adapter", "program"]);
    expect(readFileSync(join(own, "exit"), "utf8")).toBe("75\n");
  });

  it("that nobody knows fail in their log, with the reason", async () => {
    fake.say("sbatch", "4711\n");
    await launch(["r-c0-s0.1"], theirs("unlisted"));
    await look(["r-c0-s0.1"]);
    const text = readFileSync(join(launcher.folderOf("r-c0-s0.1"), "external.json"), "utf8");
    expect(text).toContain("there is no trainer of this name");
  });
});
