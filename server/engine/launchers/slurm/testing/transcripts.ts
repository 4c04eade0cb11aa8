import type { JobState } from "#server/domain/fleet/job.ts";
import type { Say } from "./fakeSlurm.ts";

/** One poll of a scripted incident: the tools' responses from now on, the job's files, and the expected state. */
export type Step = {
  sbatch?: Say;
  squeue?: Say;
  sacct?: Say;
  /** Minutes that pass between the previous poll and this one. */
  after?: number;
  files?: Readonly<Record<string, string>>;
  /** Actions before the poll. `restart` makes a new launcher, without the memory of the old one. */
  first?: readonly ("launch" | "cancel" | "restart")[];
  is: Partial<JobState>;
};

export type Transcript = {
  name: string;
  requeue?: boolean;
  steps: readonly Step[];
  /** Expected calls since the transcript's beginning: number of sbatch calls, and arguments of each scancel call. */
  numSubmissions?: number;
  scancel?: readonly string[];
};

const jobName = "arlarena-r-c0-s0.1";

const q = (state: string, reason = "None", { node = "n7" } = {}): string =>
  `4711|${jobName}|${state}|${reason}|${node}|2026-11-21T10:00:00\n`;
const a = (state: string, exit = "0:0", { at = "2026-11-21T10:00:00" } = {}): string =>
  `4711|${jobName}|${state}|${exit}|${at}|n7|None\n`;
const down: Say = { err: "slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n", code: 1 };
const noAccounting: Say = { err: "Slurm accounting storage is disabled\n", code: 1 };
const submitFails = (err: string): Say => ({ err: `sbatch: error: ${err}\n`, code: 1 });
const running = { squeue: q("RUNNING"), is: { state: "running", host: "n7" } } as const;
const accepted = { first: ["launch"], sbatch: "4711\n", ...running } as const;
const launched = { ...accepted, files: { claim: "4711\n" } } as const;

export const transcripts: readonly Transcript[] = [
  {
    name: "an ordinary life: queued, prepared, running, ending, ended",
    steps: [
      {
        first: ["launch"],
        sbatch: "4711\n",
        squeue: q("PENDING", "Priority", { node: "n/a" }),
        is: { state: "queued", why: "Priority", isStuck: false },
      },
      { squeue: q("CONFIGURING"), is: { state: "queued", isStuck: false } },
      running,
      { squeue: q("COMPLETING"), is: { state: "running", text: "ending" } },
      { squeue: q("COMPLETED"), files: { exit: "0\n" }, is: { state: "exited", exitCode: 0, host: "n7" } },
    ],
    numSubmissions: 1,
  },
  {
    name: "a warning beside the id, and the id of a cluster",
    steps: [
      {
        first: ["launch"],
        sbatch: { out: "4711;alpha\n", err: "sbatch: warning: no time given\n" },
        squeue: q("RUNNING"),
        is: { state: "running" },
      },
    ],
  },
  {
    name: "arrays of the same user around it",
    steps: [
      {
        ...launched,
        squeue: `4710_4|x|RUNNING|None|n1|2026-11-21T09:00:00\n4710_[5-1024%8]|x|PENDING|JobArrayTaskLimit|n/a|2026-11-21T09:00:00\n${q("RUNNING")}`,
      },
      {
        squeue: "4710_5|x|FAILED|NonZeroExitCode|n1|2026-11-21T09:00:00\n",
        sacct: a("COMPLETED"),
        files: { exit: "0\n" },
        is: { state: "exited", exitCode: 0 },
      },
    ],
  },
  {
    name: "preempted: the trainer saved and left in time, Slurm says why",
    steps: [
      launched,
      { squeue: q("PREEMPTED"), files: { exit: "75\n" }, is: { state: "exited", exitCode: 75, cause: "preempted" } },
    ],
  },
  {
    name: "preempted, with requeueing by Slurm: the same job goes on",
    requeue: true,
    steps: [
      launched,
      { squeue: q("PREEMPTED"), is: { state: "queued" } },
      { squeue: q("PENDING", "BeginTime"), is: { state: "queued", why: "BeginTime" } },
      running,
      {
        squeue: "",
        sacct: a("PREEMPTED") + a("COMPLETED", "0:0", { at: "2026-11-21T11:00:00" }),
        files: { exit: "0\n" },
        is: { state: "exited", exitCode: 0 },
      },
    ],
    numSubmissions: 1,
  },
  {
    name: "preempted twice under one id, though nobody asked for a requeue",
    steps: [
      launched,
      { squeue: q("RUNNING,REQUEUED"), is: { state: "queued", why: "requeued" } },
      running,
      {
        squeue: "",
        sacct: a("PREEMPTED") + a("PREEMPTED", "0:15", { at: "2026-11-21T11:00:00" }),
        is: { state: "lost", cause: "preempted" },
      },
    ],
  },
  {
    name: "the accounting is down for ten minutes after the end",
    steps: [
      launched,
      { squeue: "", sacct: noAccounting, after: 1, is: { state: "unknown" } },
      { after: 3, is: { state: "unknown" } },
      { sacct: a("FAILED", "1:0"), after: 6, is: { state: "exited", exitCode: 1 } },
    ],
  },
  {
    name: "the accounting lags by minutes",
    steps: [
      launched,
      {
        squeue: "",
        sacct: a("RUNNING"),
        after: 2,
        is: { state: "unknown", why: "it left the queue, and the accounting still says running" },
      },
      { sacct: a("TIMEOUT", "0:15"), after: 2, is: { state: "lost", cause: "timed_out" } },
    ],
  },
  {
    name: "no accounting at all, and sacct is not even installed",
    steps: [
      { ...launched, sacct: { never: "installed" } },
      { squeue: q("FAILED"), files: { exit: "3\n" }, is: { state: "exited", exitCode: 3 } },
    ],
  },
  {
    name: "submitted before midnight, ended after it",
    steps: [
      launched,
      {
        squeue: "",
        sacct: a("COMPLETED", "0:0", { at: "2026-11-20T23:59:00" }),
        after: 3,
        files: { exit: "0\n" },
        is: { state: "exited", exitCode: 0 },
      },
    ],
  },
  {
    name: "squeue hangs: nobody is judged, however long",
    steps: [
      launched,
      { squeue: { never: "answers" }, sacct: "", after: 30, is: { state: "unknown", why: "squeue did not answer" } },
      running,
    ],
  },
  {
    name: "the controller is away for an hour",
    steps: [
      launched,
      { squeue: down, sacct: "", after: 5, is: { state: "unknown" } },
      { after: 55, is: { state: "unknown" } },
      running,
    ],
  },
  {
    name: "cancelled by somebody else",
    steps: [
      launched,
      {
        squeue: "",
        sacct: a("CANCELLED by 1001", "0:15"),
        is: { state: "lost", cause: "cancelled_outside", evidence: "Slurm says cancelled by 1001" },
      },
    ],
  },
  {
    name: "a user's limit of submissions: back-pressure, then accepted",
    steps: [
      {
        first: ["launch"],
        sbatch: submitFails("QOSMaxSubmitJobPerUserLimit"),
        is: { state: "submitted", why: "not submitted yet: QOSMaxSubmitJobPerUserLimit" },
      },
      { first: ["launch"], sbatch: "4711\n", is: { state: "submitted" } },
      { first: ["launch"], after: 1, squeue: q("PENDING", "Priority"), is: { state: "queued" } },
    ],
    numSubmissions: 2,
  },
  {
    name: "a controller that is too busy to take a job",
    steps: [
      {
        first: ["launch"],
        sbatch: submitFails("Slurm temporarily unable to accept job, sleeping and retrying"),
        is: { state: "submitted" },
      },
      { ...launched, after: 1 },
    ],
    numSubmissions: 2,
  },
  {
    name: "refused for good: there is no such partition",
    steps: [
      {
        first: ["launch"],
        sbatch: submitFails("Batch job submission failed: Invalid partition name specified"),
        is: {
          state: "lost",
          cause: "submit_refused",
          evidence: "sbatch refused it: Batch job submission failed: Invalid partition name specified",
        },
      },
      { first: ["launch"], sbatch: "4711\n", after: 10, is: { state: "lost", cause: "submit_refused" } },
    ],
    numSubmissions: 1,
  },
  {
    name: "sbatch hangs, and the job was taken all the same: found by its name",
    steps: [
      {
        first: ["launch"],
        sbatch: { never: "answers" },
        is: { state: "submitted", why: "not submitted yet: sbatch did not answer in time" },
      },
      { first: ["launch"], after: 1, squeue: q("PENDING", "Priority"), is: { state: "queued", why: "Priority" } },
    ],
    numSubmissions: 1,
  },
  {
    name: "sbatch hangs, and there is no job: submitted again when it has been looked for",
    steps: [
      { first: ["launch"], sbatch: { never: "answers" }, squeue: "", sacct: "", is: { state: "submitted" } },
      { first: ["launch"], sbatch: "4711\n", after: 0.5, is: { state: "submitted" } },
      { first: ["launch"], after: 2, is: { state: "unknown" } },
      running,
    ],
    numSubmissions: 2,
  },
  {
    name: "killed between submission and receipt, and the job has ended since",
    steps: [
      { files: { "slurm.asked": "" }, first: ["restart"], is: { state: "submitted" } },
      {
        first: ["launch"],
        squeue: "",
        sacct: a("COMPLETED"),
        files: { exit: "0\n" },
        is: { state: "exited", exitCode: 0 },
      },
    ],
    numSubmissions: 0,
  },
  {
    name: "restarted at any time, the receipt is in the folder",
    steps: [launched, { ...running, first: ["restart", "launch"] }],
    numSubmissions: 1,
  },
  {
    name: "vanished from everywhere: gone after five minutes without a break",
    steps: [
      launched,
      { squeue: "", sacct: "", after: 1, is: { state: "unknown" } },
      { after: 4, is: { state: "unknown" } },
      { squeue: down, after: 3, is: { state: "unknown" } },
      { squeue: "", after: 3, is: { state: "unknown" } },
      {
        after: 6,
        is: {
          state: "lost",
          cause: "node_failed",
          evidence: "the job vanished from the queue, and the accounting does not state how it ended",
        },
      },
    ],
  },
  {
    name: "vanished, but its exit code lies in the folder",
    steps: [launched, { squeue: "", sacct: "", files: { exit: "0\n" }, is: { state: "exited", exitCode: 0 } }],
  },
  {
    name: "an exit code whose reason nobody tells counts after five minutes",
    steps: [
      launched,
      { squeue: "", sacct: noAccounting, files: { exit: "137\n" }, after: 1, is: { state: "unknown" } },
      { after: 6, is: { state: "exited", exitCode: 137 } },
    ],
  },
  {
    name: "out of memory",
    steps: [
      launched,
      {
        squeue: q("OUT_OF_MEMORY", "OutOfMemory"),
        files: { exit: "137\n" },
        is: { state: "exited", exitCode: 137, cause: "out_of_memory" },
      },
    ],
  },
  {
    name: "the time limit, told by Slurm",
    steps: [
      launched,
      {
        squeue: q("TIMEOUT", "TimeLimit"),
        files: { exit: "75\n" },
        is: { state: "exited", exitCode: 75, cause: "timed_out" },
      },
    ],
  },
  {
    name: "the time limit, obeyed so early that Slurm calls it a failure",
    steps: [
      launched,
      {
        squeue: q("FAILED", "NonZeroExitCode"),
        files: { exit: "75\n", cause: "timed_out\n" },
        is: { state: "exited", exitCode: 75, cause: "timed_out" },
      },
    ],
  },
  {
    name: "the machine died",
    steps: [
      launched,
      { squeue: "", sacct: a("NODE_FAIL", "1:0"), is: { state: "lost", cause: "node_failed", host: "n7" } },
    ],
  },
  {
    name: "the machine did not boot",
    steps: [
      { ...launched, squeue: q("CONFIGURING"), is: { state: "queued" } },
      { squeue: q("BOOT_FAIL"), is: { state: "lost", cause: "node_failed", host: "n7" } },
    ],
  },
  {
    name: "a state of a version to come",
    steps: [
      launched,
      {
        squeue: q("HIBERNATING"),
        after: 60,
        is: { state: "unknown", why: 'Slurm reports the unknown state "HIBERNATING"' },
      },
      running,
    ],
  },
  {
    name: "suspended for an evening",
    steps: [
      launched,
      { squeue: q("SUSPENDED"), after: 600, is: { state: "running", text: "suspended by Slurm" } },
      running,
    ],
  },
  {
    name: "pending for ever",
    steps: [
      {
        ...launched,
        squeue: q("PENDING", "PartitionTimeLimit"),
        is: { state: "queued", why: "PartitionTimeLimit", isStuck: true },
      },
      { squeue: q("PENDING", "JobHeldAdmin"), is: { state: "queued", isStuck: true } },
    ],
  },
  {
    name: "squeue has forgotten the id and complains",
    steps: [
      launched,
      {
        squeue: { err: "slurm_load_jobs error: Invalid job id specified\n", code: 1 },
        sacct: a("FAILED", "2:0"),
        is: { state: "exited", exitCode: 2 },
      },
    ],
  },
  {
    name: "a machine that does not see the shared folder: not the run's fault",
    steps: [
      accepted,
      { squeue: "", sacct: a("FAILED", "2:0"), is: { state: "unknown" } },
      { after: 1, is: { state: "unknown" } },
      { after: 1, is: { state: "lost", cause: "node_failed", host: "n7" } },
      { is: { state: "lost", cause: "node_failed", host: "n7" } },
    ],
  },
  {
    name: "a machine that sees an empty folder in its place, and accounting is not there",
    steps: [
      accepted,
      { squeue: q("FAILED"), sacct: noAccounting, is: { state: "unknown" } },
      { after: 2, is: { state: "lost", cause: "node_failed", host: "n7" } },
    ],
  },
  {
    name: "a shared folder that shows late what was written elsewhere",
    steps: [
      accepted,
      { squeue: "", sacct: a("FAILED", "1:0"), is: { state: "unknown" } },
      { after: 1, files: { claim: "4711\n", exit: "1\n" }, is: { state: "exited", exitCode: 1 } },
    ],
  },
  {
    name: "taken twice: the job that began first is the attempt, whichever the receipt names",
    steps: [
      {
        ...accepted,
        files: { claim: "4700\n" },
        squeue: q("RUNNING").replace("4711", "4700"),
        is: { state: "running" },
      },
      { squeue: q("RUNNING").replace("4711", "4700"), sacct: a("FAILED", "213:0"), is: { state: "running" } },
      {
        squeue: "",
        sacct: a("COMPLETED").replace("4711", "4700") + a("FAILED", "213:0"),
        is: { state: "exited", exitCode: 0 },
      },
    ],
  },
  {
    name: "taken twice, and nobody can say by whom",
    steps: [
      { ...accepted, files: { claim: "none\n" } },
      {
        squeue: "",
        sacct: a("FAILED", "213:0"),
        after: 30,
        is: { state: "unknown", why: "another job of this attempt has its folder" },
      },
      { files: { exit: "0\n" }, is: { state: "exited", exitCode: 0 } },
    ],
  },
  {
    name: "told to stop before its script began",
    steps: [
      accepted,
      { first: ["cancel"], squeue: "", sacct: a("FAILED", "0:15"), is: { state: "exited", exitCode: 143 } },
    ],
  },
  {
    name: "cancelled before it was submitted: it never is",
    steps: [
      { first: ["cancel"], is: { state: "exited", exitCode: 143 } },
      { first: ["launch"], sbatch: "4711\n", is: { state: "exited", exitCode: 143 } },
    ],
    numSubmissions: 0,
    scancel: [],
  },
  {
    name: "cancelled while it runs: asked first, then made to",
    steps: [
      launched,
      { ...running, first: ["cancel"] },
      { ...running, first: ["cancel"], after: 0.5 },
      { ...running, first: ["cancel"], after: 1 },
      { squeue: q("CANCELLED"), files: { exit: "75\n" }, is: { state: "exited", exitCode: 75 } },
    ],
    scancel: ["--state=PENDING 4711", "--batch --signal=TERM 4711", "4711"],
  },
];
