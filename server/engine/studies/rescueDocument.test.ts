import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { z } from "zod";
import { groupBy } from "#packages/base";
import { holm, mean, pairedTTest } from "#packages/statistics";
import { canonicalJson } from "#trainer/spec/canonical.ts";
import { originOf } from "#trainer/spec/origin.ts";
import { CellSpec, type RunSpec } from "#trainer/spec/run.ts";
import { nameArm, nothing } from "#server/domain/analysis/rescue/rescueArms.ts";
import { AttemptLine, EndLine, RunLine, StudyHead } from "./studyFile.ts";
import { StudyLines } from "./studyLines.ts";

const here = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

type Branch = {
  origin: string;
  configuration: string;
  place: string;
  arm: string;
  continuation: number;
  success: number;
};

/** Reads a study's branches with the mean success of their last three evaluations, at least a tenth of all. */
async function readStudy(name: string): Promise<{ specs: [string, RunSpec][]; branches: Branch[] }> {
  const lines = new StudyLines(here(`studies/rescue/${name}.arlarena`));
  const head = StudyHead.parse(JSON.parse(await lines.next()));
  const cells = new Map(head.sweeps.flatMap((sweep) => sweep.cells.map((cell) => [`${sweep.id} ${cell.index}`, cell])));
  const runs: { run: z.infer<typeof RunLine>; log: string[] }[] = [];
  for (;;) {
    const line = z.union([RunLine, AttemptLine, EndLine]).parse(JSON.parse(await lines.next()));
    if (line.type === "end") break;
    if (line.type === "run") runs.push({ run: line, log: [] });
    if (line.type === "run") continue;
    // A later attempt continues the log of an earlier one.
    runs.at(-1)?.log.push(...(await lines.take(line.logLines)));
    await lines.take(line.sampleLines);
  }
  await lines.close();
  const found = runs.flatMap(({ run, log }) => {
    const cell = cells.get(`${run.sweepId} ${run.cell}`);
    const spec = cell && CellSpec.parse(cell.spec);
    const origin = spec && originOf(spec);
    return origin ? [{ run, cell, spec, origin, success: readSuccess(log) }] : [];
  });
  return {
    specs: found.map(({ origin }) => [origin.run, origin.spec]),
    branches: found.map(({ run, cell, spec, origin, success }) => ({
      origin: origin.run,
      configuration: canonicalJson({ ...origin.spec, seed: null }),
      place: `${origin.run} ${origin.iteration} ${run.seed}`,
      arm: nameArm(spec, { method: cell.method, origin: origin.spec, originMethod: cell.method.split(", ")[0] }),
      continuation: run.seed,
      success,
    })),
  };
}

const Evaluated = z.looseObject({
  iteration: z.number().min(1),
  values: z.looseObject({ "evaluation/successRate": z.number() }),
});

function readSuccess(log: readonly string[]): number {
  const evaluated = log.flatMap((line) => Evaluated.safeParse(JSON.parse(line)).data ?? []);
  const last = new Map(evaluated.map(({ iteration, values }) => [iteration, values["evaluation/successRate"]]));
  return mean([...last.values()].slice(-Math.max(3, Math.ceil(0.1 * last.size))));
}

const studies = await Promise.all(["sokoban", "webshop"].map(readStudy));

it("docs/rescue.md states the setting of its runs in its first sentence", () => {
  const all = new Map(studies.flatMap(({ specs: own }) => own));
  const specs = [...all.values()];
  const isStale = ({ rollout, update }: RunSpec) =>
    rollout.lag?.kind === "constant" &&
    rollout.lag.k === 16 &&
    rollout.samplerPrecision === "fp8-e4m3" &&
    update.klCoef === 0;
  const configurations = new Set(specs.map((spec) => canonicalJson({ ...spec, seed: null })));
  const others = specs.filter((spec) => !isStale(spec));
  expect([specs.length, configurations.size, others.length]).toEqual([12, 4, 1]);
  expect(others.map(({ rollout, update }) => [rollout.lag, rollout.samplerPrecision, update.klCoef])).toEqual([
    [undefined, undefined, 0.01],
  ]);
  const [, first = "", facts = ""] = readFileSync(here("docs/rescue.md"), "utf8").split("\n\n");
  expect(first).toMatch(
    /^In twelve collapsed runs, eleven of them sampled by a policy 16 versions old, rounded to fp8, and trained without a KL term, /,
  );
  expect(facts).toContain("the twelve runs have four configurations");
});

const rowNames: Readonly<Record<string, string>> = {
  "sequence mask": "sequence mask",
  "GSPO's ratio": "GSPO's ratio",
  "Learning rate ÷ 5": "learning rate ÷ 5",
  "KL coefficient × 5 (0.05 if it was 0)": "KL to 0.05",
  "clip ÷ 2": "half the clip",
  "dynamic sampling": "dynamic sampling",
  "Minibatch (rows) × 4": "mini-batch × 4",
};

it("docs/rescue.md states the successes of the recorded branches, over origins and over configurations", () => {
  const branches = studies.flatMap((study) => study.branches).filter(({ continuation }) => continuation > 0);
  const unchanged = new Map(branches.flatMap((one) => (one.arm === nothing ? [[one.place, one.success]] : [])));
  const effectsBy = (unit: "origin" | "configuration") => {
    const tests = Object.keys(rowNames).map((arm) => {
      const pairs = branches.flatMap((one) => {
        const y = one.arm === arm ? unchanged.get(one.place) : undefined;
        return y === undefined ? [] : [{ unit: one[unit], x: one.success, y }];
      });
      const units = [...groupBy(pairs, (pair) => pair.unit).values()];
      const meansOf = (side: "x" | "y") => units.map((own) => mean(own.map((pair) => pair[side])));
      return { arm, ...pairedTTest(meansOf("x"), meansOf("y")) };
    });
    const adjusted = holm(tests.map(({ p }) => p));
    return tests.map((test, i) => ({ ...test, p: adjusted[i] ?? NaN }));
  };
  const write = (x: number) => `${Math.round(100 * x)}`.replace("-", "−").replace("−0", "0");
  const writeP = (p: number) => (p < 0.001 ? "< 0.001" : p.toFixed(3));
  const sign = (text: string) => (text.startsWith("−") || text === "0" ? text : `+${text}`);
  const document = readFileSync(here("docs/rescue.md"), "utf8").replaceAll(/ +/g, " ");
  for (const { arm, difference, interval, p } of effectsBy("origin")) {
    const own = branches.filter((one) => one.arm === arm && Number.isFinite(one.success));
    const row = document.split("\n").find((line) => line.startsWith(`| ${rowNames[arm]} |`)) ?? "";
    const cells = [
      write(mean(own.map(({ success }) => success))),
      `${sign(write(difference))} [${write(interval.low)}, ${write(interval.high)}]`,
      writeP(p),
    ];
    expect(row, arm).toContain(`| ${cells.join(" | ")} |`);
  }
  const stated = document.split("\n").find((line) => line.startsWith("Over the four configurations")) ?? "";
  const effects = effectsBy("configuration").map(({ arm, difference, interval, p }) => {
    return `${rowNames[arm]} ${sign(write(difference))} [${write(interval.low)}, ${write(interval.high)}], p ${writeP(p)}`;
  });
  expect(effects.filter((effect) => !stated.includes(effect))).toEqual([]);
});
