import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../root.ts";

/** Runs `.ci/run` with an `npm` that fails after it has printed the text of its part. Returns printed lines and calls. */
async function runParts(texts: Readonly<Record<string, string>>): Promise<{ lines: string[]; calls: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), "arlarena-ci-"));
  const npm = `#!/bin/sh\necho "$*" >>"${folder}/calls"\ncat "${folder}/$3.txt"\nexit 1\n`;
  await writeFile(join(folder, "npm"), npm, { mode: 0o755 });
  for (const [part, text] of Object.entries(texts)) await writeFile(join(folder, `${part}.txt`), text);
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env["PATH"]}` };
  const { stdout, status } = spawnSync(join(root, ".ci/run"), { env, encoding: "utf8" });
  const calls = (await readFile(join(folder, "calls"), "utf8")).trim().split("\n");
  await rm(folder, { recursive: true });
  expect(status).toBe(1);
  return { lines: stdout.trimEnd().split("\n"), calls };
}

test("names failed tests of all parts again before the last line, and a part that ended early", async () => {
  const { lines, calls } = await runParts({
    test: "noise\n\nFailed:\n  unit: a.test.ts: adds: expected 1 to be 2\n  types\n\n5 passed, 2 failed, 1 skipped\n",
    soak: "more noise\n7 passed, 0 failed, 0 skipped\n",
    conformance: "Killed\n",
  });
  expect(lines.slice(-5)).toEqual([
    "Failed in all parts:",
    "  unit: a.test.ts: adds: expected 1 to be 2",
    "  types",
    "  conformance -- --light: ended without a result",
    "12 passed, 3 failed, 1 skipped",
  ]);
  // The packages of the last part are there before it begins; the soak may be called first or second.
  expect(calls.slice(1, 3).toSorted()).toEqual(["run --silent conformance -- --packages", "run --silent soak"]);
  expect(calls).toHaveLength(4);
});
