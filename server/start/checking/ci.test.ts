import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../root.ts";

/** Runs `.ci/run` with an `npm` that fails after it has printed the text of its part. Returns the printed lines. */
async function runParts(texts: Readonly<Record<string, string>>): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "arlarena-ci-"));
  const npm = `#!/bin/sh\ncat "${folder}/$3.txt"\nexit 1\n`;
  await writeFile(join(folder, "npm"), npm, { mode: 0o755 });
  for (const [part, text] of Object.entries(texts)) await writeFile(join(folder, `${part}.txt`), text);
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env["PATH"]}` };
  const { stdout, status } = spawnSync(join(root, ".ci/run"), { env, encoding: "utf8" });
  await rm(folder, { recursive: true });
  expect(status).toBe(1);
  return stdout.trimEnd().split("\n");
}

test("names failed tests of all parts again before the last line, and a part that ended early", async () => {
  const lines = await runParts({
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
});
