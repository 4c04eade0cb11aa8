import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { replayTextWorld } from "./testing/replay.ts";

const folder = process.env.ARLARENA_GOLDEN ?? "../shared/golden";
const runs = path.join(folder, "textworld.jsonl");

describe.skipIf(!existsSync(runs))("runs recorded from the original program (needs ../shared/golden)", () => {
  it("replay as recorded: every text, admissible command, score, ending, dense reward and plan length", () => {
    const games = path.join(folder, "textworld-games");
    const report = replayTextWorld(
      readFileSync(runs, "utf8")
        .trim()
        .split("\n")
        .map((line): unknown => JSON.parse(line)),
      Object.fromEntries(
        readdirSync(games).map((name) => [name, JSON.parse(readFileSync(path.join(games, name), "utf8"))]),
      ),
    );
    console.log(`TextWorld: matched ${report.numMatched} of ${report.numChecks} checks`, report.byKind);
    expect(report.firstDifference).toBeUndefined();
    expect(report.byKind.description?.checks).toBe(1237);
    expect(report.numMatched).toBe(report.numChecks);
  });
});
