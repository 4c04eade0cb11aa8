export type Submission =
  | { kind: "accepted"; slurmId: string; cluster?: string }
  /** Slurm defers the submission. `mayExist` is true if the job may have been accepted nevertheless. */
  | { kind: "later"; why: string; mayExist: boolean }
  /** The cluster rejects job arrays, or job arrays of this size. */
  | { kind: "noArray"; why: string }
  /** Slurm refuses the submission for a reason that does not resolve with time. */
  | { kind: "refused"; why: string };

export type ToolResult = { exitCode: number; stdout: string; stderr: string } | { timedOut: true };

/** Matches sbatch's messages for requests that Slurm will never accept. Any other message may be temporary. */
const permanent = new RegExp(
  [
    "invalid (partition|account|qos|wckey|feature|generic resource|trackable resource|node name|directive)",
    "invalid (time limit|--?(time|mem|gres|constraint|qos|account|partition)\\b|numeric value|option)",
    "requested (node configuration is not available|time limit is invalid)",
    "(memory|cpu count|node count)[a-z ]* (can ?not be satisfied|invalid)",
    "more processors requested than permitted",
    "not permitted to use this partition",
    "unrecognized option",
  ].join("|"),
  "i",
);

const aboutArrays = /invalid job array|job arrays are not supported|array index too large/i;

/** Matches sbatch's messages after which the controller may have accepted the job without returning an id. */
const lostAnswer = /timed out|zero bytes were transmitted/i;

/** Interprets `sbatch --parsable`. With `mayExist`, the job must be searched for by name before a new submission. */
export function readSubmission(result: ToolResult): Submission {
  if ("timedOut" in result) return { kind: "later", why: "sbatch did not answer in time", mayExist: true };
  const { exitCode, stdout, stderr } = result;
  // Some clusters print a banner first, so the last line that looks like a job id is used.
  const answers = stdout.split("\n").flatMap((line) => {
    const found = /^(\d+)(?:;(\S+))?$/.exec(line.trim());
    return found ? [found] : [];
  });
  const [, slurmId, cluster] = answers.at(-1) ?? [];
  if (exitCode === 0 && slurmId !== undefined) {
    return { kind: "accepted", slurmId, ...(cluster !== undefined && { cluster }) };
  }
  const why = lastError(stderr) || lastError(stdout) || `sbatch ended with exit code ${exitCode} and said nothing`;
  const text = `${stderr}\n${stdout}`;
  if (aboutArrays.test(text)) return { kind: "noArray", why };
  // Exit code 127: sbatch is missing, for example during an update of the cluster's software, which is temporary.
  if (exitCode !== 0 && exitCode !== 127 && permanent.test(text)) return { kind: "refused", why };
  return { kind: "later", why, mayExist: exitCode === 0 || lostAnswer.test(text) };
}

/** Returns the last line that contains "error", otherwise the last line, without sbatch's prefix. */
function lastError(text: string): string {
  const lines = text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
  const errors = lines.filter((line) => /error/i.test(line));
  return (errors.at(-1) ?? lines.at(-1) ?? "").replace(/^sbatch: (error: )?/, "");
}
