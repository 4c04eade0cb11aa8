import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { git } from "../checking/checkAll.ts";
import { root } from "../root.ts";
import { listTests } from "./conformance.ts";
import { environments, unpacked } from "./environments.ts";

const tests = (git(["ls-files", "-co", "--exclude-standard", "*.test.ts", "e2e/*.spec.ts"]) ?? "").split("\n");
/** Variables that tests read and without which they are skipped: all that name a Python, or that a reason names. */
const needed = new Set(
  tests.flatMap((path) => {
    const text = readFileSync(join(root, path), "utf8");
    const reasons = text.split("\n").filter((line) => /\b(?:needs|unless|names no)\b/.test(line));
    const named = reasons.flatMap((line) => line.match(/\bARLARENA_[A-Z_]+/g) ?? []);
    const read = [...text.matchAll(/process\.env\["(ARLARENA_\w+)"\]/g)].map(([, name = ""]) => name);
    return read.filter((name) => name.endsWith("_PYTHON") || named.includes(name));
  }),
);
const set = [...environments.flatMap((one) => Object.keys(one.variables)), unpacked.variable];

/** Variables of tests that are skipped although this command ran, with the reason. */
const notInstalled: Readonly<Record<string, string>> = {
  ARLARENA_PRIME_RL_PYTHON: "prime-rl and its package of configurations are not on PyPI",
  ARLARENA_TRANSFORMERS_JS: "a folder with the npm package @huggingface/transformers",
};

describe("npm run conformance", () => {
  it("sets every variable that a skipped test reads, or says why not", () => {
    expect(needed.size).toBeGreaterThan(9);
    expect([...needed].filter((name) => !set.includes(name) && !Object.hasOwn(notInstalled, name))).toEqual([]);
  });

  it("sets and excuses no variable that no test reads", () => {
    expect([...set, ...Object.keys(notInstalled)].filter((name) => !needed.has(name))).toEqual([]);
    expect(set.filter((name) => Object.hasOwn(notInstalled, name))).toEqual([]);
  });

  it("pins every package to one version", () => {
    const pinned = environments.flatMap(({ packages, alone = [] }) => [...packages, ...alone]);
    for (const text of pinned) expect(text).toMatch(/^[\w-]+(?:\[\w+\])?==\d[\w.]*$/);
  });

  it("runs in CI the tests that need no torch, and all of them otherwise", () => {
    const light = listTests(environments.filter(({ isLight }) => isLight));
    expect(light).toEqual([
      "app/api/2.0/mlflow/client.test.ts",
      "app/api/2.0/mlflow/studioRuns.test.ts",
      "app/api/v1/optuna.test.ts",
      "app/api/v1/schemathesis.test.ts",
      "packages/trainers/commands/verl/releases.test.ts",
      "trainer/run/acting/recount.test.ts",
    ]);
    const all = listTests(environments);
    const reading = tests.filter((path) => {
      const text = readFileSync(join(root, path), "utf8");
      return set.some((name) => text.includes(`process.env["${name}"]`));
    });
    expect(all).toEqual(reading);
    expect(all.length).toBeGreaterThan(light.length + 10);
  });
});
