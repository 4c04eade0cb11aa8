import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { arrayText, sbatchText, submitEnvironment } from "./sbatchText.ts";
import { isAbsent, readSacct, readSqueue, stateOf, type Poll } from "./stateReports.ts";
import { readState } from "./slurmState.ts";
import { readSubmission, type ToolResult } from "./submission.ts";

const refusal = (words: string): ToolResult => said("", `sbatch: error: Batch job submission failed: ${words}\n`, 1);
const said = (stdout: string, stderr = "", exitCode = 0): ToolResult => ({ exitCode, stdout, stderr });

describe("the batch script", () => {
  const job = {
    jobId: "clip-range-c0-s1.2",
    folder: "/shared/it's 100%/runs/clip-range-c0-s1/2",
    command: ["/opt/node", "trainer.mjs", "a b", "$(reboot)", "it's"],
    environment: { CUDA_VISIBLE_DEVICES: "0,1", NOTE: "two words" },
  };
  const request = {
    partition: "gpu",
    time: "2-00:00:00",
    cpusPerTask: 4,
    memory: "16G",
    gres: "gpu:1",
    exclude: ["node07", "node09"],
    warnSeconds: 120,
  };
  // A folder whose name contains a space cannot be named in an sbatch option line.
  const plainJob = { ...job, folder: "/shared/100%/runs/clip-range-c0-s1/2" };

  it("is as written down", async () => {
    await expect(sbatchText(plainJob, request)).toMatchFileSnapshot("./golden/job.sbatch");
  });

  it("of several attempts is an array, as written down, and so is that of a group of programs", async () => {
    const jobs = ["1", "it's"].map((name) => ({ folder: `/shared/${name}`, script: `/shared/${name}/job.sbatch` }));
    await expect(arrayText("array-7", jobs, request)).toMatchFileSnapshot("./golden/array.sbatch");
    await expect(sbatchText({ ...plainJob, isGroup: true }, request)).toMatchFileSnapshot("./golden/group.sbatch");
  });

  it("of a program on several machines makes a Ray cluster of them first, as written down", async () => {
    const ray = { machines: 4, program: ["/env/it's/ray"], joinSeconds: 300 };
    const script = sbatchText({ ...plainJob, isGroup: true, ray }, { ...request, machines: 4 });
    await expect(script).toMatchFileSnapshot("./golden/ray.sbatch");
  });

  it("refuses what an option line cannot hold, rather than break out of it", () => {
    expect(() => sbatchText(job, request)).toThrow("--output:");
    expect(() => sbatchText(plainJob, { ...request, partition: "gpu\n#SBATCH --uid=0" })).toThrow("--partition:");
    expect(() => sbatchText({ ...plainJob, environment: { "A;reboot": "1" } }, request)).toThrow(
      "no name of a variable",
    );
  });

  it("lets nobody's SBATCH_ variables override it", () => {
    const environment = { PATH: "/bin", SBATCH_PARTITION: "debug", SLURM_JOB_ID: "7", HOME: "/root", NONE: undefined };
    expect(submitEnvironment(environment)).toEqual({ PATH: "/bin", HOME: "/root" });
  });

  describe("run by a shell", () => {
    const folder = mkdtempSync(join(tmpdir(), "arlarena-sbatch-"));
    afterAll(() => rmSync(folder, { recursive: true }));
    const play = (command: readonly string[], more = ""): string => {
      const script = join(folder, "job.sh");
      writeFileSync(script, sbatchText({ ...job, folder, command }, { warnSeconds: 60 }));
      spawnSync("/bin/sh", ["-c", `/bin/sh ${script} & job=$!; ${more} wait $job`], { encoding: "utf8" });
      return readFileSync(join(folder, "exit"), "utf8").trim();
    };

    it("passes every argument on as it is and leaves the exit code behind", () => {
      expect(play(["/bin/sh", "-c", 'printf "%s|" "$@"; exit 7', "x", "a b", "$(echo no)", "it's"])).toBe("7");
      expect(readFileSync(join(folder, "stdout.log"), "utf8")).toBe("a b|$(echo no)|it's|");
    });

    it("leaves with a code of its own where another job has the folder, or where there is none", () => {
      const own = join(folder, "own");
      mkdirSync(own);
      const run = (id: string, at = own) => {
        const text = sbatchText({ ...job, folder: at, command: ["/bin/sh", "-c", "exit 7"] }, { warnSeconds: 60 });
        const env = { ...process.env, SLURM_JOB_ID: id, SLURMD_NODENAME: `n${id}` };
        return spawnSync("/bin/sh", ["-c", text], { env }).status;
      };
      expect([run("1"), run("2"), run("1", join(folder, "unseen"))]).toEqual([7, 213, 213]);
      expect(readFileSync(join(own, "claim"), "utf8")).toBe("1\n");
      expect(readFileSync(join(own, "exit"), "utf8")).toBe("7  \n");
      expect(readFileSync(join(own, "host"), "utf8")).toBe("n1\n");
    });

    it("passes a warning on before the group is there", () => {
      const own = join(folder, "early");
      const slow = join(own, "bin");
      mkdirSync(slow, { recursive: true });
      writeFileSync(join(slow, "setsid"), `#!/bin/sh\necho >${own}/up\nexec sleep 8\n`, { mode: 0o755 });
      const text = sbatchText({ ...job, folder: own, command: ["true"], isGroup: true }, { warnSeconds: 60 });
      writeFileSync(join(own, "job.sh"), text);
      const warn = `until [ -e ${own}/up ]; do sleep 0.05; done; kill -TERM $job; wait $job`;
      const env = { ...process.env, PATH: `${slow}:${process.env["PATH"]}` };
      spawnSync("/bin/sh", ["-c", `/bin/sh ${own}/job.sh & job=$!; ${warn}`], { env });
      expect(readFileSync(join(own, "exit"), "utf8")).toBe("143\n");
    });

    it("passes the warning on to the trainer and waits for what it makes of it", () => {
      const up = join(folder, "up");
      const trainer = (last: string): string[] => {
        rmSync(up, { force: true });
        return ["/bin/sh", "-c", `trap '${last}exit 75' TERM; : >"$0"; while :; do sleep 0.05; done`, up];
      };
      const warn = `until [ -e "${up}" ]; do sleep 0.05; done; kill -TERM $job;`;
      expect(play(trainer("sleep 0.3; "), warn)).toBe("75");
      // A job that exits at once has disappeared before the first poll.
      expect(play(trainer(""), warn)).toBe("75");
    });

    it("keeps a warning that comes before there is a trainer, and passes it on then", () => {
      const own = join(folder, "first");
      mkdirSync(join(own, "bin"), { recursive: true });
      // The script calls `uname` for the machine's name just before it starts the trainer.
      writeFileSync(join(own, "bin/uname"), "#!/bin/sh\nkill -TERM $PPID\n", { mode: 0o755 });
      const text = sbatchText({ ...job, folder: own, command: ["sleep", "600"] }, { warnSeconds: 60 });
      const env = { ...process.env, PATH: `${own}/bin:${process.env["PATH"]}`, SLURMD_NODENAME: undefined };
      spawnSync("/bin/sh", ["-c", text], { env });
      expect(readFileSync(join(own, "exit"), "utf8")).toBe("143\n");
    });
  });
});

describe("submissions", () => {
  it.each<[string, ToolResult, object]>([
    ["an id", said("4711\n"), { kind: "accepted", slurmId: "4711" }],
    ["an id on a cluster", said("4711;alpha\n"), { kind: "accepted", slurmId: "4711", cluster: "alpha" }],
    ["a warning beside it", said("4711\n", "sbatch: warning: no time given\n"), { kind: "accepted", slurmId: "4711" }],
    ["a banner before it", said("Welcome to alpha\n4711\n"), { kind: "accepted", slurmId: "4711" }],
    [
      "a user's limit",
      said(
        "",
        "sbatch: error: QOSMaxSubmitJobPerUserLimit\nsbatch: error: Batch job submission failed: Job violates accounting/QOS policy\n",
        1,
      ),
      { kind: "later", why: "Batch job submission failed: Job violates accounting/QOS policy" },
    ],
    ["an association's limit", said("", "sbatch: error: AssocMaxSubmitJobLimit\n", 1), { kind: "later" }],
    [
      "a full controller",
      said("", "sbatch: error: Slurm temporarily unable to accept job, sleeping and retrying\n", 1),
      { kind: "later" },
    ],
    [
      "a controller that is away",
      said("", "sbatch: error: Unable to contact slurm controller (connect failure)\n", 1),
      { kind: "later" },
    ],
    [
      "a socket's time-out",
      said("", "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation\n", 1),
      { kind: "later", mayExist: true },
    ],
    ["no answer", { timedOut: true }, { kind: "later", why: "sbatch did not answer in time" }],
    [
      "a partition that is not there",
      said(
        "",
        "sbatch: error: invalid partition specified: gpux\nsbatch: error: Batch job submission failed: Invalid partition name specified\n",
        1,
      ),
      { kind: "refused", why: "Batch job submission failed: Invalid partition name specified" },
    ],
    [
      "an impossible request",
      said("", "sbatch: error: Batch job submission failed: Requested node configuration is not available\n", 1),
      { kind: "refused" },
    ],
    ["silence", said("", "", 1), { kind: "later", why: "sbatch ended with exit code 1 and said nothing" }],
    ["success without an id", said("Submitted\n"), { kind: "later", mayExist: true }],
    [
      "a word we do not know",
      said("", "sbatch: error: the moon is full\n", 1),
      { kind: "later", why: "the moon is full" },
    ],
    [
      "no sbatch, while the cluster's software is renewed",
      said("", "sbatch: error: spawn sbatch ENOENT", 127),
      { kind: "later", why: "spawn sbatch ENOENT", mayExist: false },
    ],
    ["arrays that are not wanted", refusal("Invalid job array specification"), { kind: "noArray" }],
    [
      "an error that names our own script",
      refusal("Unable to open file /shared/arrays/array-1.sbatch"),
      { kind: "later" },
    ],
  ])("%s", (_, result, expected) => expect(readSubmission(result)).toMatchObject(expected));

  it.each([
    "Invalid account or account/partition combination specified",
    "Invalid qos specification",
    "Requested time limit is invalid (missing or exceeds some limit)",
    "Memory specification can not be satisfied",
    "CPU count per node can not be satisfied",
    "Invalid generic resource (gres) specification",
    "Invalid feature specification",
    "Invalid node name specified",
    "User's group not permitted to use this partition",
  ])("are refused for good with: %s", (words) => expect(readSubmission(refusal(words)).kind).toBe("refused"));
});

describe("states", () => {
  it.each<[string, Parameters<typeof readState>[0], object]>([
    ["pending", { state: "PENDING", reason: "Priority" }, { is: "queued", reason: "Priority", isHopeless: false }],
    [
      "pending for nodes",
      { state: "PENDING", reason: "(ReqNodeNotAvail, UnavailableNodes:n1)" },
      { is: "queued", reason: "ReqNodeNotAvail, UnavailableNodes:n1", isHopeless: false },
    ],
    ["pending for ever", { state: "PENDING", reason: "DependencyNeverSatisfied" }, { is: "queued", isHopeless: true }],
    ["held by an admin", { state: "PENDING", reason: "JobHeldAdmin" }, { is: "queued", isHopeless: true }],
    [
      "longer than its partition allows",
      { state: "PENDING", reason: "PartitionTimeLimit" },
      { is: "queued", isHopeless: true },
    ],
    ["configuring", { state: "CONFIGURING" }, { is: "starting" }],
    ["running", { state: "RUNNING" }, { is: "running" }],
    ["suspended", { state: "SUSPENDED" }, { is: "suspended" }],
    ["completing", { state: "COMPLETING" }, { is: "finishing" }],
    ["a flag that masks the base state", { state: "FAILED,REQUEUED" }, { is: "queued", reason: "requeued" }],
    ["held after a requeue", { state: "REQUEUE_HOLD" }, { is: "queued", isHopeless: true }],
    ["completed", { state: "COMPLETED", exitCode: "0:0" }, { is: "ended", how: "completed", exitCode: 0, signal: 0 }],
    ["failed by exit code", { state: "FAILED", exitCode: "75:0" }, { is: "ended", how: "failed", exitCode: 75 }],
    ["failed by signal", { state: "FAILED", exitCode: "0:9" }, { is: "ended", how: "failed", signal: 9 }],
    [
      "cancelled by somebody",
      { state: "CANCELLED by 1001", exitCode: "0:15" },
      { is: "ended", how: "cancelled", by: "1001", signal: 15 },
    ],
    ["cancelled, cut short", { state: "CANCELLED+" }, { is: "ended", how: "cancelled" }],
    ["timed out", { state: "TIMEOUT", exitCode: "0:15" }, { is: "ended", how: "timed_out" }],
    ["preempted", { state: "PREEMPTED" }, { is: "ended", how: "preempted" }],
    ["out of memory", { state: "OUT_OF_MEMORY", exitCode: "0:125" }, { is: "ended", how: "out_of_memory" }],
    ["a node that died", { state: "NODE_FAIL" }, { is: "ended", how: "node_failed" }],
    [
      "a word of a later version",
      { state: "HIBERNATING" },
      { is: "unknown", why: 'Slurm reports the unknown state "HIBERNATING"' },
    ],
    ["nothing", { state: "" }, { is: "unknown" }],
  ])("%s", (_, given, expected) => expect(readState(given)).toMatchObject(expected));
});

describe("what becomes of a job between squeue and sacct", () => {
  const timedOut: ToolResult = { timedOut: true };
  const poll = (squeue: ToolResult, sacct: ToolResult): Poll => ({
    squeue: readSqueue(squeue),
    sacct: readSacct(sacct),
  });
  const line = (id: string, state: string, reason = "None"): string =>
    `${id}|arlarena-r.1|${state}|${reason}|node1|2026-11-21T10:00:00\n`;
  const record = (id: string, state: string, exit = "0:0", at = "2026-11-21T10:00:00"): string =>
    `${id}|arlarena-r.1|${state}|${exit}|${at}|node1|None\n`;
  const minutes = (n: number): number => n * 60_000;

  it.each<[string, Poll, number, object]>([
    ["it runs", poll(said(line("12", "RUNNING")), said("")), 0, { is: "running" }],
    [
      "the queue outranks a late accounting",
      poll(said(line("12", "RUNNING")), said(record("12", "PENDING"))),
      0,
      { is: "running" },
    ],
    [
      "it has left the queue and the accounting knows",
      poll(said(""), said(record("12", "COMPLETED"))),
      minutes(1),
      { is: "ended", how: "completed" },
    ],
    [
      "it has left and the accounting lags",
      poll(said(""), said(record("12", "RUNNING"))),
      minutes(2),
      { is: "unknown", why: "it left the queue, and the accounting still says running" },
    ],
    ["it has left and there is no accounting", poll(said(""), timedOut), minutes(2), { is: "unknown" }],
    ["squeue hangs", poll(timedOut, said("")), minutes(60), { is: "unknown", why: "squeue did not answer" }],
    [
      "squeue hangs, but it is known to have ended",
      poll(timedOut, said(record("12", "TIMEOUT"))),
      0,
      { is: "ended", how: "timed_out" },
    ],
    [
      "squeue fails for ten minutes",
      poll(said("", "slurm_load_jobs error: Unable to contact slurm controller", 1), timedOut),
      minutes(10),
      { is: "unknown" },
    ],
    [
      "the queue has forgotten it for long, and nobody knows how",
      poll(said(""), said("")),
      minutes(6),
      { is: "ended", how: "vanished" },
    ],
    [
      "squeue complains that the id is unknown",
      poll(said("", "slurm_load_jobs error: Invalid job id specified", 1), said(record("12", "FAILED", "1:0"))),
      0,
      { is: "ended", how: "failed", exitCode: 1 },
    ],
    [
      "preempted once, then run again under the same id",
      poll(said(""), said(record("12", "PREEMPTED") + record("12", "COMPLETED", "0:0", "2026-11-21T11:00:00"))),
      0,
      { is: "ended", how: "completed" },
    ],
    [
      "preempted twice",
      poll(said(""), said(record("12", "PREEMPTED") + record("12", "PREEMPTED", "0:0", "2026-11-21T11:00:00"))),
      0,
      { is: "ended", how: "preempted" },
    ],
    [
      "started before midnight",
      poll(said(""), said(record("12", "COMPLETED", "0:0", "2026-11-20T23:59:00"))),
      0,
      { is: "ended", how: "completed" },
    ],
    [
      "its steps are not the job",
      poll(said(""), said(`12.batch|batch|FAILED|1:0|x|n|\n${record("12", "RUNNING")}`)),
      0,
      { is: "unknown" },
    ],
    [
      "another job's end is not its own",
      poll(said(""), said(record("123", "FAILED", "1:0"))),
      minutes(1),
      { is: "unknown" },
    ],
  ])("%s", (_, given, absentFor, expected) => expect(stateOf("12", given, absentFor)).toMatchObject(expected));

  it.each<[string, string, string, object]>([
    ["a task by its number", "12_4", line("12_4", "RUNNING"), { is: "running" }],
    [
      "a task still inside its array",
      "12_7",
      line("12_[5-1024%8]", "PENDING", "Resources"),
      { is: "queued", reason: "Resources" },
    ],
    ["a task of a list", "12_3", line("12_[1,3,9-11]", "PENDING", "Priority"), { is: "queued" }],
    [
      "a task's own line beside the others'",
      "12_3",
      line("12_3", "RUNNING") + line("12_[1-9]", "PENDING"),
      { is: "running" },
    ],
    [
      "a task that was requeued into its array later",
      "12_3",
      line("12_3", "PREEMPTED") + line("12_[3-9]", "PENDING").replace("10:00", "11:00"),
      { is: "queued" },
    ],
    ["a job of a named cluster", "12", line("12;alpha", "RUNNING"), { is: "running" }],
  ])("arrays and clusters: %s", (_, id, stdout, expected) =>
    expect(stateOf(id, poll(said(stdout), said("")), 0)).toMatchObject(expected),
  );

  it("is looked up, not searched for: a poll of 4,000 tasks is judged at once", () => {
    const ids = Array.from({ length: 4000 }, (_, i) => `12_${i}`);
    const seen = poll(said(ids.map((id) => line(id, "RUNNING")).join("")), said(""));
    expect(ids.filter((id) => stateOf(id, seen, 0).is === "running" && !isAbsent(id, seen))).toHaveLength(4000);
  });

  it("counts absence only when squeue answered", () => {
    expect(isAbsent("12", poll(said(""), said("")))).toBe(true);
    expect(isAbsent("12", poll(timedOut, said("")))).toBe(false);
    expect(isAbsent("12", poll(said(line("12", "PENDING")), said("")))).toBe(false);
    expect(isAbsent("12_8", poll(said(line("12_[1-7]", "PENDING")), said("")))).toBe(true);
  });
});
