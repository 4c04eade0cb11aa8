import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";
import { mean, sem, tQuantile } from "#packages/statistics";
import { strata } from "#trainer/spec/metrics/parts.ts";
import { readPlain } from "./testing/readPlain.ts";

/** A run's cell and seed, and its values by metric and iteration; iteration 0 is before training. */
type Logged = { name: string; cell: number; seed: number; values: Map<string, Map<number, number>> };

const Head = z.looseObject({
  sweeps: z.array(
    z.looseObject({
      cells: z.array(
        z.looseObject({
          method: z.string(),
          spec: z.looseObject({
            update: z.looseObject({ klCoef: z.number(), minibatchRows: z.number() }),
            budget: z.looseObject({ split: z.looseObject({ demonstrationShare: z.number() }).nullish() }),
          }),
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
      const { split } = of.spec.budget;
      const share = split ? `, share ${split.demonstrationShare}` : "";
      runs.push({ name: `${of.method}, KL ${klCoef}, ${minibatchRows} rows${share}`, cell, seed, values: new Map() });
    }
    if (type !== "metrics") continue;
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
/** Mean of the last three evaluations; a run without training has one. */
const finalOf = (run: Logged, key = success) =>
  mean(
    valuesOf(run, key)
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
const names = [
  "table3-sokoban",
  "papers/clipping-masked",
  "papers/staleness",
  "papers/table4-changes",
  "papers/sft-rl",
  "papers/tuning",
  "papers/algorithms-easy",
  "papers/algorithms-hard",
  "papers/reward-swe-gym",
  "papers/table2-sokoban",
  "papers/density-textworld",
  "papers/horizon-textworld",
  "papers/horizon-swe-gym",
];
const [
  table3 = [],
  masked = [],
  stale = [],
  changed = [],
  split = [],
  tuned = [],
  easy = [],
  hard = [],
  rewarded = [],
  single = [],
  dense = [],
  turns = [],
  calls = [],
] = await Promise.all(names.map(readRuns));
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

it.each([0.25, 0.5, 0.75, 1])("docs/results.md states Table 9's row of share %f", (share) => {
  const finals = (of: number, key: string) =>
    runsOf(`GRPO, KL 0.01, 512 rows, share ${of}`, split).map(inPercent((run) => finalOf(run, key)));
  const cells = [success, "evaluation/elsewhere/two-boxes/successRate"].flatMap((key) => {
    const [own, alone] = [finals(share, key), finals(1, key)];
    const gains = own.map((value, i) => value - (alone[i] ?? NaN));
    return [write(own, 1), share === 1 ? "–" : write(gains, 1)];
  });
  expect(document).toContain(`| ${[share, ...cells].join(" | ")} |`);
});

const tuning = [
  "as it is",
  "γ 0.95",
  "critic's learning rate 6e-4",
  "actor's learning rate 3e-4",
  "temperature 1",
  "KL 0.001",
];
it.each(tuning.map((title, cell) => ({ title, cell })))(
  "docs/results.md states Table 13's row: $title",
  ({ title, cell }) => {
    const finals = (of: number) => tuned.filter((run) => run.cell === of).map(inPercent((run) => finalOf(run)));
    const [own, first] = [finals(cell), finals(0)];
    expect(own).toHaveLength(3);
    const gains = own.map((value, i) => value - (first[i] ?? NaN));
    expect(document).toContain(`| ${[title, write(own, 1), cell === 0 ? "–" : write(gains, 1)].join(" | ")} |`);
  },
);

it.each(["PPO", "GRPO", "RLOO", "REINFORCE++"])("docs/results.md states Table 10's row of %s", (method) => {
  const cells = [easy, hard].flatMap((runs) => {
    const of = (name: string) => runsOf(`${name}, KL 0.01, 32 rows`, runs);
    const [own, ppo] = [of(method), of("PPO")].map((found) => found.map(inPercent((run) => finalOf(run))));
    const gains = own?.map((value, i) => value - (ppo?.[i] ?? NaN)) ?? [];
    const rises = of(method).map((run) => {
      const rewards = valuesOf(run, "rollout/returnMean").map(([, reward]) => reward);
      return 100 * (mean(rewards.slice(-3)) - mean(rewards.slice(0, 3)));
    });
    return [write(own ?? [], 1), method === "PPO" ? "–" : write(gains, 1), write(rises, 1)];
  });
  expect(document).toContain(`| ${[method, ...cells].join(" | ")} |`);
});

it("docs/results.md names the algorithms whose paired difference from PPO excludes 0", () => {
  const found = [easy, hard].flatMap((runs) => {
    const of = (name: string) => runsOf(`${name}, KL 0.01, 32 rows`, runs).map(inPercent((run) => finalOf(run)));
    return ["GRPO", "RLOO", "REINFORCE++"].flatMap((name) => {
      const losses = of("PPO").map((value, i) => value - (of(name)[i] ?? NaN));
      const half = tQuantile(0.975, losses.length - 1) * sem(losses);
      const [low, centre, high] = [mean(losses) - half, mean(losses), mean(losses) + half].map((x) => x.toFixed(2));
      return Math.abs(mean(losses)) > half
        ? [{ name, isHard: runs === hard, text: `${centre} points [${low}, ${high}]` }]
        : [];
    });
  });
  const [only] = found;
  expect(found).toEqual([{ name: "GRPO", isHard: true, text: expect.any(String) }]);
  expect(document).toContain(`${only?.name} is below PPO in the harder quest by ${only?.text}`);
});

const rewards = ["all tests pass", "ratio of passed tests"];
it.each(rewards.map((title, cell) => ({ title, cell })))("docs/results.md states Table 12's row: $title", (row) => {
  const of = (cell: number, read: (run: Logged) => number) =>
    rewarded.filter((run) => run.cell === cell).map(inPercent(read));
  const before = of(row.cell, (run) => run.values.get(success)?.get(0) ?? NaN);
  const [after, binary] = [row.cell, 0].map((cell) => of(cell, (run) => finalOf(run)));
  const [changes, gains] = [before, binary].map((from) => after?.map((value, i) => value - (from?.[i] ?? NaN)) ?? []);
  const cells = [write(before, 1), write(after ?? [], 1), write(changes ?? [], 1)];
  expect(document).toContain(`| ${[row.title, ...cells, row.cell === 0 ? "–" : write(gains ?? [], 1)].join(" | ")} |`);
});

/** Final success in percent of the three seeds of a study's cell, in order of seeds. */
function ofCell(runs: readonly Logged[], cell: number): number[] {
  const own = runs.filter((run) => run.cell === cell).toSorted((a, b) => a.seed - b.seed);
  expect(own.map(({ seed }) => seed)).toEqual([0, 1, 2]);
  return own.map(inPercent((run) => finalOf(run)));
}
/** Writes the mean of a row's seeds, and its difference to another row, paired by seed. */
function besideEachOther(own: readonly number[], before: readonly number[] | undefined): string[] {
  const gains = own.map((value, i) => value - (before?.[i] ?? NaN));
  return [write(own, 1), before ? write(gains, 1) : "–"];
}
const fromTable3 = (method: string) => runsOf(`${method}, ${plain}`, table3).map(inPercent((run) => finalOf(run)));

it("docs/results.md states the rows of ARLArena's Table 2", () => {
  const [scratch, cloned, penalty, wide, narrow, twoTries, tau2, tau3] = Array.from({ length: 8 }, (_, cell) =>
    ofCell(single, cell),
  );
  const [klTerm, gspo, dapo, sapo] = ["GRPO", "GSPO", "DAPO_GRPO", "SAPO"].map(fromTable3);
  const rows = [
    { title: "GRPO from random weights", own: scratch },
    { title: "+ imitation", own: cloned, before: scratch },
    { title: "+ format penalty", own: penalty, before: cloned },
    { title: "+ KL term", own: klTerm, before: penalty },
    { title: "GSPO 1e-3", own: gspo },
    { title: "GSPO 1e-2", own: wide, before: gspo },
    { title: "GSPO 1e-4", own: narrow, before: gspo },
    { title: "DAPO, 3 tries", own: dapo },
    { title: "DAPO, 2 tries", own: twoTries, before: dapo },
    { title: "SAPO τ 1", own: sapo },
    { title: "SAPO τ 2", own: tau2, before: sapo },
    { title: "SAPO τ 3", own: tau3, before: sapo },
  ];
  for (const { title, own = [], before } of rows)
    expect.soft(document).toContain(`| ${[title, ...besideEachOther(own, before)].join(" | ")} |`);
});

it.each(["sparse", "balanced", "dense"].map((title, reward) => ({ title, reward })))(
  "docs/results.md states Table 11's row: $title",
  ({ title, reward }) => {
    const cells = [0, 1, 2].flatMap((algorithm) => {
      const before = reward === 0 ? undefined : ofCell(dense, algorithm);
      return besideEachOther(ofCell(dense, 3 * reward + algorithm), before);
    });
    expect(document).toContain(`| ${[title, ...cells].join(" | ")} |`);
  },
);

it.each([0, 1, 2, 3])("docs/results.md states the Guide's Table 4: limit %s", (cell) => {
  const limits = [
    { title: [6, 8, 12, 16][cell], runs: turns },
    { title: [3, 6, 9, 12][cell], runs: calls },
  ];
  const cells = limits.flatMap(({ title, runs }) => {
    const before = cell === 0 ? undefined : ofCell(runs, cell - 1);
    return [title, ...besideEachOther(ofCell(runs, cell), before)];
  });
  expect(document).toContain(`| ${cells.join(" | ")} |`);
});

it("docs/results.md states the success of cloned policies before the training of the Guide's Table 4", () => {
  const [onTextWorld, onSweGym] = [turns, calls].map((runs) => {
    const before = runs.map(({ values }) => 100 * (values.get(success)?.get(0) ?? NaN));
    return `${Math.min(...before).toFixed(0)} to ${Math.max(...before).toFixed(0)} %`;
  });
  expect(document).toContain(`succeed in ${onTextWorld} of the tasks (TextWorld) and ${onSweGym} (SWE-Gym)`);
});
