import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";
import { replaySweGym } from "./testing/replay.ts";

const goldenFile = path.join(process.env.ARLARENA_GOLDEN ?? "../shared/golden", "swe_editor.json");

it.skipIf(!existsSync(goldenFile))("the editor answers as the original was recorded (needs ../shared/golden)", () => {
  const report = replaySweGym(z.array(z.unknown()).parse(JSON.parse(readFileSync(goldenFile, "utf8"))));
  console.log(`swe_editor.json: matched ${report.numMatched} of ${report.numChecks} checks`);
  expect(report.firstDifference).toBeUndefined();
  expect(report.numChecks).toBeGreaterThan(50);
});
