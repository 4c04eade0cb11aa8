import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

export type CliResult = { code: number | null; stdout: string; stderr: string };

/** Runs `npx arlarena …` for the studio of a state folder; `input` is the command's standard input. */
export function runCli(home: string, args: readonly string[], input = ""): Promise<CliResult> {
  const env = { ...process.env, ARLARENA_HOME: home, DATABASE_URL: "", NO_COLOR: "1" };
  const child = spawn(process.execPath, ["server/cli/arlarena.mjs", ...args], { cwd: root, env });
  const result = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (result.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (result.stderr += text));
  child.stdin.on("error", () => undefined).end(input);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ ...result, code }));
  });
}

/** Returns a sweep file with one small environment that exercises all parts of training. */
export function tinySweep(plan: { name: string; methods: string; seeds: string; iterations: number }): string {
  return `name: ${plan.name}
methods: ${plan.methods}
environments: [{ id: sokoban }]
base:
  initialisation: { kind: demonstrations, numEpisodes: 40, epochs: 1 }
  rollout: { numGroups: 2, groupSize: 4, historyLength: 0 }
  evaluation: { every: 2, numEpisodes: 8 }
  budget: { iterations: ${plan.iterations} }
seeds: ${plan.seeds}
`;
}
