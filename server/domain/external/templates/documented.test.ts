import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { RunSpec } from "#trainer/spec/run.ts";
import { expandPlan } from "#server/domain/sweep/expand.ts";
import { parsePlan } from "#server/domain/sweep/plan.ts";
import { resolveTemplate } from "./resolveTemplate.ts";
import { TrainersFile } from "./template.ts";

it("the documented files are files that work", () => {
  const text = readFileSync(new URL("../../../../docs/trainers.md", import.meta.url), "utf8");
  const [trainersText = "", planText = "", attachedText = ""] = [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map(
    ([, yaml]) => yaml,
  );
  const { trainers } = TrainersFile.parse(parse(trainersText));
  const { cells } = expandPlan(parsePlan(planText));
  expect(cells).toHaveLength(2);
  expect(expandPlan(parsePlan(attachedText)).cells.map(({ spec }) => spec.optimizer.learningRate)).toEqual([
    1e-6, 3e-4,
  ]);
  const place = { folder: "/r/1", runFolder: "/r", run: "r", attempt: 1, home: "/home/me" };
  for (const { spec } of cells) {
    for (const name of Object.keys(trainers)) {
      const own = RunSpec.parse({ ...spec, v: 1, seed: 1, trainer: { name, options: {} } });
      expect(resolveTemplate(trainers, own, place).argv.length).toBeGreaterThan(4);
    }
  }
});
