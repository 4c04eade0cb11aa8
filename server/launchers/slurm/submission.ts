/** How a submission ended. */
export type Submission =
  | { kind: "accepted"; slurmId: string; cluster?: string }
  /** Not now, for whatever reason. `mayExist`: the job may have been taken all the same. */
  | { kind: "later"; why: string; mayExist: boolean }
  /** The cluster wants no arrays, or none so large. */
  | { kind: "noArray"; why: string }
  /** For a reason that waiting does not cure. */
  | { kind: "refused"; why: string };

export type ToolResult = { exitCode: number; stdout: string; stderr: string } | { timedOut: true };

/** What Slurm says of requests that it will never take. What is not among them may pass: unknown is not refused. */
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

/** Answers after which the controller may have the job, though it gave no id. */
const lostAnswer = /timed out|zero bytes were transmitted/i;

/**
 * Reads what `sbatch --parsable` answered. Where the job may have been taken without our knowing its id, it is to be
 * looked for by its name before it is submitted again.
 */
export function readSubmission(result: ToolResult): Submission {
  if ("timedOut" in result) return { kind: "later", why: "sbatch did not answer in time", mayExist: true };
  const { exitCode, stdout, stderr } = result;
  // Some sites print a banner first; the id is the last line that is one.
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
  // 127: no such program, as while the cluster's own software is renewed.
  if (exitCode !== 0 && exitCode !== 127 && permanent.test(text)) return { kind: "refused", why };
  return { kind: "later", why, mayExist: exitCode === 0 || lostAnswer.test(text) };
}

/** The line that says what went wrong, without the tool's name before it. */
function lastError(text: string): string {
  const lines = text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
  const errors = lines.filter((line) => /error/i.test(line));
  return (errors.at(-1) ?? lines.at(-1) ?? "").replace(/^sbatch: (error: )?/, "");
}
