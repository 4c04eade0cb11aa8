import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";
import { mean, sem, tQuantile } from "#packages/statistics";
import { strata } from "#trainer/spec/metrics/parts.ts";
import { readPlain } from "./testing/readPlain.ts";

/** A run's cell and seed, and its values by metric and iteration after training began. */
type Logged = { name: string; seed: number; values: Map<string, Map<number, number>> };

const Head = z.looseObject({
  sweeps: z.array(
    z.looseObject({
      cells: z.array(
        z.looseObject({
          method: z.string(),
          spec: z.looseObject({ update: z.looseObject({ klCoef: z.number(), minibatchRows: z.number() }) }),
        }),
      ),
    }),
  ),
});
const Line = z.looseObject({
  type: z.string().optional(),
  cell: z.number().default(-1),
  seed: z.number().default(-1),
  iteration: z.number().default(0),
  values: z.record(z.string(), z.number().nullable()).default({}),
});

async function readRuns(study: string): Promise<Logged[]> {
  const [head = "", ...lines] = (await readPlain(join("studies", `${study}.arlarena`))).trim().split("\n");
  const cells = Head.parse(JSON.parse(head)).sweeps.flatMap(({ cells: own }) => own);
  const runs: Logged[] = [];
  for (const text of lines) {
    const { type, cell, seed, iteration, values } = Line.parse(JSON.parse(text));
    const of = cells[cell];
    if (type === "run" && of) {
      const { klCoef, minibatchRows } = of.spec.update;
      runs.push({ name: `${of.method}, KL ${klCoef}, ${minibatchRows} rows`, seed, values: new Map() });
    }
    if (type !== "metrics" || iteration < 1) continue;
    const own = runs.at(-1)?.values;
    for (const [key, value] of Object.entries(values)) {
      if (value === null) continue;
      own?.set(key, (own.get(key) ?? new Map<number, number>()).set(iteration, value));
    }
  }
  return runs;
}

const success = "evaluation/successRate";
const valuesOf = ({ values }: Logged, key: string) => [...(values.get(key) ?? [])];
/** Mean of the last three evaluations. */
const finalOf = (run: Logged) =>
  mean(
    valuesOf(run, success)
      .map(([, value]) => value)
      .slice(-3),
  );
/** Mean of the sum of metrics over iterations 33 to 48. */
function lateOf(run: Logged, keys: readonly string[]): number {
  const late = keys.map((key) => mean(valuesOf(run, key).flatMap(([at, value]) => (at > 32 ? [value] : []))));
  return late.reduce((sum, value) => sum + value, 0);
}

/** Writes a minus sign, but none before a zero. */
const sign = (text: string) => text.replace(/^-(?=[0.]*$)/, "").replace("-", "−");
/** Writes a mean with its 95 % t interval over seeds: "58.2 [39, 77]". */
function write(values: readonly number[], decimals: number): string {
  const half = tQuantile(0.975, values.length - 1) * sem(values);
  const [low, high] = [mean(values) - half, mean(values) + half].map((x) => sign(x.toFixed(Math.max(0, decimals - 1))));
  return `${sign(mean(values).toFixed(decimals))} [${low}, ${high}]`;
}

const inPercent = (read: (run: Logged) => number) => (run: Logged) => 100 * read(run);
const shareOf = (group: string, pattern: RegExp) => {
  const keys = strata.flatMap((stratum) => (pattern.test(stratum) ? [`${group}/${stratum}`] : []));
  return { read: inPercent((run) => lateOf(run, keys)), decimals: 1 };
};
const measures = [
  { title: "success, %", read: inPercent(finalOf), decimals: 1 },
  { title: "KL to the reference policy", read: (run: Logged) => lateOf(run, ["policy/klReference"]), decimals: 3 },
  { title: "gradient norm", read: (run: Logged) => lateOf(run, ["update/gradientNorm"]), decimals: 2 },
  { title: "valid format, %", read: inPercent((run) => lateOf(run, ["rollout/validFormatRate"])), decimals: 1 },
  { title: "out of range: A < 0, ratio < 1, %", ...shareOf("strataOutOfRange", /^negativeBelow/) },
  { title: "KL: A < 0, ratio < 1, %", ...shareOf("strataKl", /^negativeBelow/) },
  { title: "KL: A < 0, ratio ≥ 1, %", ...shareOf("strataKl", /^negativeAbove/) },
  { title: "KL: A > 0, ratio < 1, %", ...shareOf("strataKl", /^positiveBelow/) },
  { title: "KL: A > 0, ratio ≥ 1, %", ...shareOf("strataKl", /^positiveAbove/) },
  { title: "KL: entropy above the median, %", ...shareOf("strataKl", /High$/) },
];

const document = readFileSync(join("docs", "results.md"), "utf8").replaceAll(/ +/g, " ");
const names = ["table3-sokoban", "papers/clipping-masked", "papers/staleness", "papers/table4-changes"];
const [table3 = [], masked = [], stale = [], changed = []] = await Promise.all(names.map(readRuns));
const clipping = [...table3, ...masked];
const plain = "KL 0.01, 128 rows";
function runsOf(name: string, of: readonly Logged[] = clipping): Logged[] {
  const own = of.filter((run) => run.name === name).toSorted((a, b) => a.seed - b.seed);
  expect(
    own.map(({ seed }) => seed),
    name,
  ).toEqual([0, 1, 2]);
  return own;
}

it.each(measures)("docs/results.md states the clipping figures' averages: $title", ({ title, read, decimals }) => {
  const cells = ["GRPO", "GSPO", "SAPO", "SAPO_SM", "CISPO", "CISPO_SM"].map((method) =>
    write(runsOf(`${method}, ${plain}`).map(read), decimals),
  );
  const gains = ["SAPO", "CISPO"].map((method) => {
    const before = runsOf(`${method}, ${plain}`).map(read);
    return write(
      runsOf(`${method}_SM, ${plain}`).map((run, i) => read(run) - (before[i] ?? NaN)),
      decimals,
    );
  });
  expect(document).toContain(`| ${[title, ...cells, ...gains].join(" | ")} |`);
});

it.each([512, 256, 128])("docs/results.md states Table 5's row of %i minibatch rows", (rows) => {
  const own = runsOf(`GRPO, KL 0.01, ${rows} rows`, stale);
  const lateKl = (run: Logged) =>
    mean(
      valuesOf(run, "policy/klReference")
        .map(([, value]) => value)
        .slice(-3),
    );
  const cells = [write(own.map(inPercent(finalOf)), 1), write(own.map(lateKl), 3)];
  expect(document).toContain(`| ${[rows, ...cells].join(" | ")} |`);
});

it.each(["SAPO", "CISPO"])("docs/results.md states Table 4's rows of %s", (method) => {
  const asIs = runsOf(`${method}, ${plain}`).map(inPercent(finalOf));
  const variants = [
    { title: "KL 0.05", own: runsOf(`${method}, KL 0.05, 128 rows`, changed) },
    { title: "512 rows", own: runsOf(`${method}, KL 0.01, 512 rows`, changed) },
    { title: "masked", own: runsOf(`${method}_SM, ${plain}`) },
  ];
  expect(document).toContain(`| ${method} | ${write(asIs, 1)} | – |`);
  for (const { title, own } of variants) {
    const values = own.map(inPercent(finalOf));
    const gains = values.map((value, i) => value - (asIs[i] ?? NaN));
    expect(document).toContain(`| ${method}, ${title} | ${write(values, 1)} | ${write(gains, 1)} |`);
  }
});
