import { execFileSync } from "node:child_process";
import { root } from "../root.ts";
import { typesAndLint } from "./checkSource.ts";
import { runUnitTests } from "./runTests.ts";
import { runLanes } from "./runSteps.ts";
import { toSentence } from "./tally.ts";

/** Quick checks, and the tests that reach what changed but for slow ones; returns the exit code. */
export async function checkChanges(): Promise<number> {
  const base = chooseBase(git);
  console.log(`Tests of what changed since ${base}, but for the project "slow" (npm test runs all)`);
  const projects = ["pure", "database", "process"].flatMap((name) => ["--project", name]);
  const perform = () => runUnitTests(["--changed", base, "--passWithNoTests", ...projects]);
  const total = await runLanes([[typesAndLint], [{ name: "tests of what changed", perform }]], false);
  console.log(toSentence(total));
  return total.failed === 0 ? 0 : 1;
}

/** Where this branch left origin/main; the last commit but one where nothing differs from there, or there is no origin. */
export function chooseBase(run: (args: readonly string[]) => string | undefined): string {
  const origin = run(["merge-base", "HEAD", "origin/main"]);
  const isSame =
    origin !== undefined && run(["diff", "--stat", origin]) === "" && !run(["ls-files", "-o", "--exclude-standard"]);
  return origin === undefined || isSame ? "HEAD~1" : origin;
}

/** What git answers, trimmed; undefined where it fails. */
function git(args: readonly string[]): string | undefined {
  try {
    return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return undefined;
  }
}
