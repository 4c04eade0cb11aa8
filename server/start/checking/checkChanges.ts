import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../root.ts";
import { type Step, typesAndLint } from "./checkSource.ts";
import { nearestTests } from "./nearestTests.ts";
import { runUnitTests } from "./runTests.ts";
import { runLanes } from "./runSteps.ts";
import type { Counts } from "./tally.ts";

/** Maximum number of test files: half a minute on two cores; central files are imported by three times as many. */
const maxFiles = 25;

/** Quick checks, and the tests nearest to the changes except slow ones. */
export async function checkChanges(): Promise<Counts> {
  const base = chooseBase(git);
  const reached = nearestTests(listChanged(base), readSources());
  const files = reached.slice(0, maxFiles);
  const some = reached.length > maxFiles ? `the ${maxFiles} nearest of ` : "";
  console.log(
    `Tests: ${some}${reached.length} files that import what changed since ${base}, but for those of the project "slow"; npm test runs all`,
  );
  const projects = ["pure", "shared", "process"].flatMap((name) => ["--project", name]);
  const perform = () => runUnitTests([...files, "--passWithNoTests", ...projects]);
  // Without a file name vitest would run every file.
  const tests: Step[] = files.length === 0 ? [] : [{ name: "tests of what changed", perform }];
  return await runLanes([[typesAndLint], tests], false);
}

/** Merge base with origin/main; the last commit but one if nothing differs from it, or there is no origin. */
export function chooseBase(run: (args: readonly string[]) => string | undefined): string {
  const origin = run(["merge-base", "HEAD", "origin/main"]);
  const isSame =
    origin !== undefined && run(["diff", "--stat", origin]) === "" && !run(["ls-files", "-o", "--exclude-standard"]);
  return origin === undefined || isSame ? "HEAD~1" : origin;
}

function listChanged(base: string): string[] {
  const tracked = git(["diff", "--name-only", base]) ?? "";
  const fresh = git(["ls-files", "-o", "--exclude-standard"]) ?? "";
  return `${tracked}\n${fresh}`.split("\n").filter(Boolean);
}

function readSources(): Map<string, string> {
  const listed = git(["ls-files", "-co", "--exclude-standard", "*.ts", "*.tsx", "*.mjs"]) ?? "";
  // A deleted file is still listed.
  const read = (path: string): string => {
    try {
      return readFileSync(join(root, path), "utf8");
    } catch {
      return "";
    }
  };
  return new Map(listed.split("\n").map((path) => [path, read(path)]));
}

/** Trimmed output of git; undefined if it fails. */
function git(args: readonly string[]): string | undefined {
  try {
    return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return undefined;
  }
}
