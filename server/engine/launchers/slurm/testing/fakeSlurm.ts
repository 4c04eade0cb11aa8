import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Tool } from "../cluster.ts";

/** Scripted response of a fake tool: output with an exit code, possibly delayed; none; or a missing tool. */
export type Say =
  | string
  | { out?: string; err?: string; code?: number; afterS?: number }
  | { never: "answers" | "installed" };

export type FakeSlurm = {
  path: string;
  say(tool: Tool, what: Say): void;
  calls: () => string[];
  scripts: () => string[];
};

/** Creates fake sbatch, squeue, sacct and scancel programs, which give scripted responses and record their calls. */
export function makeFakeSlurm(folder: string): FakeSlurm {
  const path = join(folder, "bin");
  const log = join(folder, "calls");
  const given = join(folder, "given");
  for (const name of [path, given]) mkdirSync(name, { recursive: true });
  writeFileSync(log, "");
  const fake: FakeSlurm = {
    path,
    say: (tool, what) => {
      const program = join(path, tool);
      if (typeof what === "object" && "never" in what && what.never === "installed")
        return rmSync(program, { force: true });
      const answer = typeof what === "object" && "never" in what ? "exec /bin/sleep 600" : answerOf(what);
      const note = `printf '%s\\n' "${tool} $*" >>'${log}'`;
      // File numbers begin at 100, so that sorting the names also sorts the numbers.
      const free = `n=100; while [ -e '${given}'/$n ]; do n=$((n + 1)); done`;
      const keep = tool === "sbatch" ? `${free}; /bin/cp "$2" '${given}'/$n` : "";
      writeFileSync(program, `#!/bin/sh\n${note}\n${keep}\n${answer}\n`, { mode: 0o755 });
    },
    calls: () => readFileSync(log, "utf8").split("\n").slice(0, -1),
    scripts: () =>
      readdirSync(given)
        .toSorted()
        .map((name) => readFileSync(join(given, name), "utf8")),
  };
  for (const tool of ["sbatch", "squeue", "sacct", "scancel"] as const) fake.say(tool, "");
  return fake;
}

function answerOf(what: Exclude<Say, { never: string }>): string {
  const { out = "", err = "", code = 0, afterS = 0 } = typeof what === "string" ? { out: what } : what;
  return `${afterS > 0 ? `/bin/sleep ${afterS}; ` : ""}${print(out)}; ${print(err)} >&2; exit ${code}`;
}

function print(text: string): string {
  return `printf '%s' '${text.replaceAll("'", String.raw`'\''`)}'`;
}
