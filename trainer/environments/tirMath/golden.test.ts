import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { loadPython } from "#trainer/python/loadPython.ts";
import { replayTirMath } from "./testing/replay.ts";

const file = path.join(process.env.ARLARENA_GOLDEN ?? "../shared/golden", "python_snippets.json");

describe.skipIf(!existsSync(file))("recorded programs of CPython (needs ../shared/golden)", () => {
  it("print the same, fail the same, and are fed back the same", async () => {
    const python = await loadPython();
    const { numChecks, numMatched, firstDifference } = replayTirMath([JSON.parse(readFileSync(file, "utf8"))], {
      python,
    });
    console.log(`python_snippets.json: matched ${numMatched} of ${numChecks} checks`);
    expect(firstDifference).toBeUndefined();
    expect(numChecks).toBeGreaterThanOrEqual(140);
    expect(numMatched).toBe(numChecks);
  });
});
