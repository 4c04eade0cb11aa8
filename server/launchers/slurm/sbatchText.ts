import { quoteArgument } from "#server/domain/quoteArgument.ts";
import { type RayWithin, startRay, stopRay } from "./rayText.ts";

/** What a job asks Slurm for. Everything comes from the admin's configuration file, nothing from a browser. */
export type SlurmRequest = {
  partition?: string;
  account?: string;
  qos?: string;
  /** Wall-clock limit, in Slurm's own words: `2-00:00:00`. */
  time?: string;
  /** Machines of a job; 1 when absent. */
  machines?: number;
  cpusPerTask?: number;
  /** `16G` */
  memory?: string;
  /** Generic resources: `gpu:1`. */
  gres?: string;
  constraint?: string;
  /** Nodes where this run failed for the node's sake. */
  exclude?: readonly string[];
  /** Seconds before the time limit at which the trainer is told to save and leave. */
  warnSeconds: number;
  /** Lets Slurm itself start a preempted job again, under the same id. Our own resubmission is the default. */
  requeue?: boolean;
};

export type SlurmJob = {
  jobId: string;
  folder: string;
  /** The trainer's argv. */
  command: readonly string[];
  environment: Readonly<Record<string, string>>;
  /** The command starts programs of its own, which must hear of a warning too. */
  isGroup?: boolean;
  /** A Ray cluster of all machines of the job, for the command to use. */
  ray?: RayWithin;
};

/** How the script leaves where it cannot claim the folder: another job has it, or there is no such folder there. */
export const notOursCode = 213;

/** Waits until the trainer has left, whatever signals come, and writes its exit code. */
const waitForTrainer = [
  "child=$!",
  "# One that only begins may not hear it yet.",
  '[ -z "$again" ] || { sleep 1; pass; }',
  'wait "$child"',
  "code=$?",
  "# A signal ends the wait, not the trainer: it is waited for again until it has left. A child whose code was read is unknown (127).",
  'while [ -n "$again" ] || kill -0 "$child" 2>/dev/null; do',
  "  again=",
  '  wait "$child"',
  "  status=$?",
  '  [ "$status" = 127 ] || code=$status',
  "done",
  `printf '%-3s\\n' "$code" 1<>"$folder/exit.new" && mv "$folder/exit.new" "$folder/exit"`,
];

/**
 * The batch script of one attempt. The job's name and comment carry the attempt's id, so that a job submitted just
 * before a crash of ours is found again. The trainer runs in the background of the shell, because a shell runs no trap
 * while it waits for a foreground child; the shell passes the warning on and leaves the exit code behind. The first
 * shell to claim the folder has it: the same attempt submitted twice trains once.
 */
export function sbatchText(job: SlurmJob, request: SlurmRequest): string {
  const head = headOf(
    [
      ["job-name", nameOf(job.jobId)],
      ["comment", job.jobId],
      ["output", `${escapePattern(job.folder)}/slurm.log`],
    ],
    request,
  );
  const variables = Object.entries(job.environment).map(
    ([name, value]) => `export ${identifier(name)}=${quoteArgument(value)}`,
  );
  return [
    ...head,
    "set -u",
    `folder=${quoteArgument(job.folder)}`,
    "# As Slurm's lists name us: a task by its array and number.",
    "id=${SLURM_ARRAY_JOB_ID:+${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}}",
    "id=${id:-${SLURM_JOB_ID:-none}}",
    "# Given up, or another job has it: a requeue that nobody asked for does nothing.",
    '[ -e "$folder/over" ] && exit 0',
    `printf '%s\\n' "$id" >"$folder/claim.$id" && ln "$folder/claim.$id" "$folder/claim" 2>/dev/null; rm -f "$folder/claim.$id"`,
    `[ "$(cat "$folder/claim")" = "$id" ] || exit ${notOursCode}`,
    "# A warning may come at any moment: before there is a trainer it waits for it. One so close to the job's end is its",
    "# time limit's; Slurm may send it a minute early.",
    "child=",
    "again=",
    "pass() {",
    // A group that setsid has not made yet is only its child.
    `  ${job.isGroup === true ? 'kill -TERM "-$child" 2>/dev/null || ' : ""}kill -TERM "$child" 2>/dev/null`,
    "}",
    "warn() {",
    "  again=yes",
    '  [ -z "$child" ] || pass',
    "  end=${SLURM_JOB_END_TIME:-}",
    '  [ -n "$end" ] || end=$(timeout 10 squeue -h -j "$id" -o %e 2>/dev/null | grep "^[0-9]" | date -f - +%s 2>/dev/null)',
    `  [ $((\${end:-9999999999} - $(date +%s))) -le ${request.warnSeconds + 90} ] && echo timed_out >"$folder/cause"`,
    "}",
    'rm -f "$folder/exit" "$folder/cause"',
    "# Room for the exit code, which is written over this: on a full disk it could not be written anew.",
    `printf '000\\n' >"$folder/exit.new"`,
    "trap warn TERM INT",
    "# Slurm may have forgotten us by the time that somebody asks where we were.",
    `printf '%s\\n' "\${SLURMD_NODENAME:-$(uname -n)}" >"$folder/host"`,
    ...variables,
    ...(job.ray ? startRay(job.ray) : []),
    `${job.isGroup === true ? "setsid " : ""}${job.command.map(quoteArgument).join(" ")} </dev/null >>"$folder/stdout.log" 2>>"$folder/stderr.log" &`,
    ...waitForTrainer,
    ...(job.ray ? stopRay : []),
    'exit "$code"',
    "",
  ].join("\n");
}

/**
 * One submission for several attempts of one shape: task i becomes the batch script of the i-th, which has all that a
 * job of its own would have. `exec` leaves it the shell that Slurm signals.
 */
export function arrayText(
  array: string,
  jobs: readonly { folder: string; script: string }[],
  request: SlurmRequest,
): string {
  const head = headOf(
    [
      ["job-name", nameOf(array)],
      ["comment", array],
      ["array", `0-${jobs.length - 1}`],
      ["output", "/dev/null"],
    ],
    request,
  );
  const tasks = jobs.map(
    ({ folder, script }, i) =>
      `${i}) exec /bin/sh ${quoteArgument(script)} >>${quoteArgument(`${folder}/slurm.log`)} 2>&1 ;;`,
  );
  return [...head, "case ${SLURM_ARRAY_TASK_ID:-none} in", ...tasks, "esac", "exit 1", ""].join("\n");
}

type Option = readonly [name: string, value: string | number | undefined];

function optionsOf(request: SlurmRequest): Option[] {
  return [
    ["open-mode", "append"],
    ["partition", request.partition],
    ["account", request.account],
    ["qos", request.qos],
    ["time", request.time],
    ["nodes", request.machines],
    ["ntasks", request.machines ?? 1],
    ["ntasks-per-node", request.machines === undefined ? undefined : 1],
    ["cpus-per-task", request.cpusPerTask],
    ["mem", request.memory],
    ["gres", request.gres],
    ["constraint", request.constraint],
    ["exclude", request.exclude?.length ? request.exclude.join(",") : undefined],
    ["signal", `B:TERM@${request.warnSeconds}`],
  ];
}

function headOf(options: readonly Option[], request: SlurmRequest): string[] {
  const lines = [...options, ...optionsOf(request)].flatMap(([name, value]) =>
    value === undefined ? [] : [`#SBATCH --${name}=${plain(name, value)}`],
  );
  return ["#!/bin/sh", ...lines, `#SBATCH --${request.requeue === true ? "requeue" : "no-requeue"}`];
}

export function nameOf(jobId: string): string {
  return `arlarena-${jobId}`;
}

/** The environment that `sbatch` is started in: its own variables override the script's options and are left out; where the cluster is configured stays. */
export function submitEnvironment(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined || (/^(SBATCH|SLURM|SALLOC|SRUN)_/.test(name) && name !== "SLURM_CONF")
        ? []
        : [[name, value]],
    ),
  );
}

/** A line of options ends at a line break or a comment, and quotes mean nothing in it. */
function plain(name: string, value: string | number): string {
  const text = String(value);
  if (!/^[A-Za-z0-9_@%+=:,./[\]()*&|!-]+$/.test(text)) {
    throw new RangeError(`--${name}: ${JSON.stringify(text)} has characters that a batch script's options cannot hold`);
  }
  return text;
}

function identifier(name: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw new RangeError(`${JSON.stringify(name)} is no name of a variable`);
  return name;
}

/** Slurm replaces `%j` and its like in file names. */
function escapePattern(path: string): string {
  return path.replaceAll("%", "%%");
}
