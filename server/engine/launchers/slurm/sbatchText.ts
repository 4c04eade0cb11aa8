import { quoteArgument } from "#packages/base";

/** Resources that a job requests. All come from the administrator's file, never from a browser's request. */
export type SlurmRequest = {
  partition?: string;
  account?: string;
  qos?: string;
  /** Job time limit in Slurm's `days-hours:minutes:seconds` format, such as `2-00:00:00`. */
  time?: string;
  /** Number of machines for a job; default 1. */
  machines?: number;
  cpusPerTask?: number;
  /** Memory per machine in Slurm's format, such as `16G`. */
  memory?: string;
  /** Generic resources in Slurm's format, such as `gpu:1` for one GPU. */
  gres?: string;
  constraint?: string;
  /** Names of machines that Slurm must not use, because this run failed there through the machine's fault. */
  exclude?: readonly string[];
  /** Number of seconds before the job's time limit at which the trainer is asked to save and exit. */
  warnSeconds: number;
  /** True if Slurm may restart a preempted job under the same id. By default the studio submits a new job instead. */
  requeue?: boolean;
  /** Further sbatch options, each in sbatch's own syntax. */
  options?: readonly string[];
};

export type SlurmJob = {
  jobId: string;
  folder: string;
  command: readonly string[];
  environment: Readonly<Record<string, string>>;
  /** True if the command starts child processes, which must then also receive the signal sent before the time limit. */
  isGroup?: boolean;
  /** Ray cluster that the batch script starts on all machines of the job before it runs the command. */
  ray?: RayWithin;
};

/** Exit code of a batch script that cannot claim its folder: another job has it, or it does not exist. */
export const notOursCode = 213;

/** Name of a file beside the batch script with secret environment variables; only its owner may read it. */
export const secretsFile = "secrets.sh";

/** Shell lines that wait for the trainer's exit and set `code`. If a signal interrupts the wait, it is repeated. */
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
];
const writeExit = `printf '%-3s\\n' "$code" 1<>"$folder/exit.new" && mv "$folder/exit.new" "$folder/exit"`;

/**
 * Returns the batch script of one attempt. The job's name and comment contain the attempt's id, so that a job
 * submitted just before a crash is found again. The trainer runs in the background, because a shell runs no trap
 * while it waits for a foreground child. The shell forwards the signal sent before the time limit and writes the exit
 * code. The first shell that claims the job folder owns it, so an attempt submitted twice trains once.
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
    // Until setsid has created the group, the trainer is a plain child and receives the signal directly.
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
    ...exportLines(job.environment),
    `[ -r "$folder/${secretsFile}" ] && . "$folder/${secretsFile}"`,
    "# A step of the job has as many processors as the job.",
    'export SRUN_CPUS_PER_TASK="${SLURM_CPUS_PER_TASK:-1}"',
    ...(job.ray ? startRay(job.ray) : []),
    `${job.isGroup === true ? "setsid " : ""}${job.command.map(quoteArgument).join(" ")} </dev/null >>"$folder/stdout.log" 2>>"$folder/stderr.log" &`,
    ...waitForTrainer,
    // With `requeue`, Slurm may start this script again, so the file of secrets is deleted only without it.
    ...(request.requeue === true ? [] : [`rm -f "$folder/${secretsFile}"`]),
    writeExit,
    ...(job.ray ? stopRay : []),
    'exit "$code"',
    "",
  ].join("\n");
}

/**
 * Returns a job array's script for attempts with the same resource request. Task i runs the i-th attempt's own batch
 * script; `exec` makes that script the shell that Slurm signals.
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
  const further = (request.options ?? []).map((option) => `#SBATCH ${option}`);
  return ["#!/bin/sh", ...lines, ...further, `#SBATCH --${request.requeue === true ? "requeue" : "no-requeue"}`];
}

export function exportLines(variables: Readonly<Record<string, string>>): string[] {
  return Object.entries(variables).map(([name, value]) => `export ${identifier(name)}=${quoteArgument(value)}`);
}

export function nameOf(jobId: string): string {
  return `arlarena-${jobId}`;
}

/** Returns the environment without variables that would override the batch script's options. */
export function submitEnvironment(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined || (/^(SBATCH|SLURM|SALLOC|SRUN)_/.test(name) && name !== "SLURM_CONF")
        ? []
        : [[name, value]],
    ),
  );
}

/** Returns an option's value as text. Throws for quotes and characters that could end the option. */
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

/** Escapes `%` in a path for sbatch, which replaces `%j` and similar patterns in file names. */
function escapePattern(path: string): string {
  return path.replaceAll("%", "%%");
}

type RayWithin = {
  machines: number;
  program: readonly string[];
  /** Time limit in seconds for all machines to join the Ray cluster. */
  joinSeconds: number;
};

/**
 * Returns script lines that start a Ray cluster on the job's machines; programs find the cluster through
 * `RAY_ADDRESS`. Ray's head node runs on the first machine beside the script, and a worker runs on each other
 * machine. Both are Slurm job steps and end with the job. The port is derived from the job's number, so that two jobs
 * on a machine do not collide. If some machine does not join in time, the node counts as failed, not the run.
 */
function startRay({ machines, program, joinSeconds }: RayWithin): string[] {
  const ray = program.map(quoteArgument).join(" ");
  const common = '--num-cpus="${SLURM_CPUS_ON_NODE:-1}" --block';
  const step = "srun --overlap --nodes=1 --ntasks=1";
  return [
    "# A name may be that of the loopback: the first address that is not.",
    `ip=$(hostname -I 2>/dev/null | tr ' ' '\\n' | grep -v '^127\\.' | head -n 1)`,
    "port=$((20000 + ${SLURM_JOB_ID:-0} % 10000))",
    'RAY_ADDRESS="$ip:$port"',
    "export RAY_ADDRESS",
    `${step} --nodelist="\${SLURMD_NODENAME:-$(uname -n)}" ${ray} start --head --node-ip-address="$ip" --port="$port" --include-dashboard=false ${common} >>"$folder/ray.log" 2>&1 &`,
    "steps=$!",
    `countMachines() { ${ray} status --address "$RAY_ADDRESS" 2>/dev/null | sed -n '/^Active:/,/^Pending:/p' | grep -c '^ 1 node_'; }`,
    `end=$(($(date +%s) + ${joinSeconds}))`,
    "joined=0",
    `until [ "$joined" -ge ${machines} ] || [ "$(date +%s)" -ge "$end" ] || [ -n "$again" ]; do`,
    "  joined=$(countMachines)",
    "  # Workers come when there is somebody to come to.",
    '  if [ "$joined" -ge 1 ] && [ "$steps" = "${steps#* }" ]; then',
    `    srun --overlap --nodes=${machines - 1} --ntasks=${machines - 1} --ntasks-per-node=1 --exclude="\${SLURMD_NODENAME:-$(uname -n)}" ${ray} start --address="$RAY_ADDRESS" ${common} >>"$folder/ray.log" 2>&1 &`,
    '    steps="$steps $!"',
    "  fi",
    "  sleep 2",
    "done",
    `if [ "$joined" -lt ${machines} ]; then`,
    `  printf '%s\\n' "Ray: $joined of ${machines} machines joined within ${joinSeconds} s; see ray.log" >>"$folder/stderr.log"`,
    '  [ -n "$again" ] || echo node_failed >"$folder/cause"',
    "  kill $steps 2>/dev/null",
    `  printf '%-3s\\n' 1 1<>"$folder/exit.new" && mv "$folder/exit.new" "$folder/exit"`,
    "  exit 1",
    "fi",
  ];
}

/** Script lines that stop Ray explicitly, so that none of its processes stays on the machines after the job. */
const stopRay = ["kill $steps 2>/dev/null", "wait $steps 2>/dev/null"];
