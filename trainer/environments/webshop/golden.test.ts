import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { replayWebShop } from "./testing/replay.ts";

const goldenFile = path.join(process.env.ARLARENA_GOLDEN ?? "../shared/golden", "webshop.jsonl");

describe.skipIf(!existsSync(goldenFile))("a shop recorded from the original program (needs ../shared/golden)", () => {
  it("has our pages, clickables, goals, rewards and fuzzy matches", () => {
    const lines = readFileSync(goldenFile, "utf8").trim().split("\n");
    const report = replayWebShop(lines.map((line): unknown => JSON.parse(line)));
    console.log(`WebShop: matched ${report.numMatched} of ${report.numChecks} checks`, report.byKind);
    expect(report.firstDifference).toBeUndefined();
    expect(report.numChecks).toBeGreaterThan(2000);
    expect(report.numMatched).toBe(report.numChecks);
  });
});
