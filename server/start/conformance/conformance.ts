import { readFileSync } from "node:fs";
import { join } from "node:path";
import { git, runLanes } from "../checking/checkAll.ts";
import { runUnitTests } from "../checking/runTests.ts";
import { toSentence, verdict } from "../checking/tally.ts";
import { root } from "../root.ts";
import { environments, type PythonEnvironment, unpacked } from "./environments.ts";
import { installEnvironments, listNewer } from "./install.ts";

const lightEnvironments = environments.filter(({ isLight }) => isLight);

/** Installs the packages of the light tests, and runs none. The tests' own call states why a package is missing. */
export async function installLight(): Promise<void> {
  await installEnvironments(lightEnvironments);
}

/**
 * Runs every test that needs Python packages, after it has installed them. `isLight`: only tests that need no torch,
 * and an environment that cannot be installed is a stated reason to skip its tests, not a failure.
 */
export async function checkConformance(isLight: boolean): Promise<number> {
  const chosen = isLight ? lightEnvironments : environments;
  const { variables, problems } = await installEnvironments(chosen);
  Object.assign(process.env, variables);
  for (const problem of problems) console.log(problem);
  const install = { name: "packages", perform: async () => ({ counts: verdict(problems.length === 0) }) };
  const files = listTests(chosen);
  // Clusters and trainings compete for cores, so their tests run one file at a time.
  const words = isLight ? files : [...files, "--no-file-parallelism"];
  const examples = isLight ? fewExamples : {};
  const tests = { name: "tests that need Python packages", perform: () => runUnitTests(words, examples) };
  const perform = () => runUnitTests([...words, "--passWithNoTests"], { ARLARENA_SOAK: "1" });
  const long = { name: "their long tests, as in npm run soak", perform };
  const [total, newer] = await Promise.all([
    runLanes([isLight ? [tests] : [install, tests, long]], false),
    listNewer(chosen),
  ]);
  for (const line of newer) console.log(`newer release: ${line}`);
  console.log(toSentence(total));
  return total.failed === 0 ? 0 : 1;
}

function variablesOf(chosen: readonly PythonEnvironment[]): string[] {
  return [...chosen.flatMap((one) => Object.keys(one.variables)), unpacked.variable];
}

/** Nine tenths of all planned cases are of environments, which the light form omits, and of plans: it draws fifty. */
const fewExamples = {
  SCHEMATHESIS_EXAMPLES: "2",
  SCHEMATHESIS_PATHS: "^/v1/(?!environment/)",
  SCHEMATHESIS_UNPLANNED: "^/v1/sweep/(create|preview)$",
};

/** Lists test files that read variables of these environments, and no variable of another one. */
export function listTests(chosen: readonly PythonEnvironment[]): string[] {
  const [all, set] = [variablesOf(environments), variablesOf(chosen)];
  const paths = git(["ls-files", "-co", "--exclude-standard", "*.test.ts"])?.split("\n") ?? [];
  return paths.filter((path) => {
    const text = readFileSync(join(root, path), "utf8");
    const read = all.filter((name) => text.includes(`process.env["${name}"]`));
    return read.length > 0 && read.every((name) => set.includes(name));
  });
}
