/**
 * Seconds by stage of whole iterations, from a run's own log: the first method of the Quick look preset with few
 * demonstrations, in a separate process.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expandPlan } from "#server/domain/plan/sweep/expand.ts";
import { parsePlan } from "#server/domain/plan/sweep/plan.ts";
import { RunEvent } from "#trainer/spec/event.ts";
import { lowerQuartile } from "./trainingFloor.ts";

/** Lower quartiles by metric key, over the iterations after the first, in which graphs are compiled. */
export function measureStages(numIterations: number): ReadonlyMap<string, number> {
  const folder = mkdtempSync(join(tmpdir(), "arlarena-stages-"));
  try {
    writeFileSync(join(folder, "spec.json"), JSON.stringify(quickLook(numIterations)));
    const argv = ["--import", "tsx", "trainer/run/main.ts", join(folder, "spec.json"), folder];
    const { status, stderr } = spawnSync(process.execPath, argv, { encoding: "utf8" });
    if (status !== 0) throw new Error(`the trainer exited with ${status}: ${stderr}`);
    const lines = readFileSync(join(folder, "events.jsonl"), "utf8").trim().split("\n");
    const metrics = lines.flatMap((line) => {
      const event = RunEvent.parse(JSON.parse(line));
      return event.type === "metrics" && "time/updateMs" in event.values && event.iteration > 1 ? [event.values] : [];
    });
    const keys = new Set(metrics.flatMap((values) => Object.keys(values)));
    return new Map(
      [...keys].map((key) => [key, lowerQuartile(metrics.flatMap((values) => numbersOf(values[key])))] as const),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function quickLook(iterations: number) {
  const plan = parsePlan(readFileSync("public/presets/quick-look.yaml", "utf8"));
  const spec = expandPlan(plan).cells[0]?.spec;
  if (!spec) throw new Error("the Quick look preset has no cell");
  return {
    v: 1,
    ...spec,
    seed: 0,
    initialisation: { ...spec.initialisation, numEpisodes: 100, epochs: 3 },
    evaluation: { ...spec.evaluation, every: 1000 },
    budget: { ...spec.budget, iterations },
  };
}

function numbersOf(value: unknown): number[] {
  return typeof value === "number" ? [value] : [];
}
