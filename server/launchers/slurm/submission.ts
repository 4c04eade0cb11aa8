/** How a submission ended: with a job's id, with "not now", or with a reason that waiting does not cure. */
export type Submission =
  | { kind: "accepted"; slurmId: string; cluster?: string }
  | { kind: "later"; why: string }
  | { kind: "refused"; why: string };

export type ToolResult = { exitCode: number; stdout: string; stderr: string } | { timedOut: true };

/** Limits and hiccups: back-pressure, not failure. */
const passing =
  /QOSMaxSubmitJob|AssocMaxSubmitJob|AssocGrpSubmitJobs|QOSGrpSubmitJobs|MaxSubmitJobs|MaxJobCount|temporarily unable to accept job|Socket timed out|Unable to contact slurm controller|Connection refused|Resource temporarily unavailable|Zero Bytes were transmitted|Slurm controller.*not responding|Rate limit/i;

/**
 * Reads what `sbatch --parsable` answered. A time-out may hide an accepted job: before it is submitted again it is to be
 * looked for by its name.
 */
export function readSubmission(result: ToolResult): Submission {
  if ("timedOut" in result) return { kind: "later", why: "sbatch did not answer in time" };
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
  return passing.test(`${stderr}\n${stdout}`) ? { kind: "later", why } : { kind: "refused", why };
}

/** The line that says what went wrong, without the tool's name before it. */
function lastError(text: string): string {
  const lines = text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
  const errors = lines.filter((line) => /error/i.test(line));
  return (errors.at(-1) ?? lines.at(-1) ?? "").replace(/^sbatch: (error: )?/, "");
}
