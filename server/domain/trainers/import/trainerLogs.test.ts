import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { guessDialect, readName, type Dialect } from "#packages/trainers/names/canonical.ts";
import { makeNamer } from "#packages/trainers";
import { dialects } from "#packages/trainers/names/dialects.ts";
import { groupBy } from "#packages/base";
import { planImport } from "./planImport.ts";
import { readForeignFile } from "./readForeignFile.ts";
import { consoleWriters, jsonWriters, toEventFile, toMlflowCsv, toWandbCsv } from "./testing/trainerLogs.ts";

/** Metrics that each trainer logs, read from its sources. */
const file = join(process.env["ARLARENA_REFERENCE"] ?? "../shared/reference", "trainers.json");
const Source = z.object({
  id: z.string(),
  name: z.string(),
  sinks: z.record(z.string(), z.unknown()),
  metrics: z.array(
    z.object({
      key: z.string(),
      canonical: z.string().nullable(),
      match: z.enum(["exact", "close"]).nullable(),
      factor: z.number().nullable(),
    }),
  ),
});
type Source = z.infer<typeof Source>;

const dialectOf: Readonly<Record<string, Dialect>> = {
  verl: "verl",
  "verl-agent": "verlAgent",
  arlarena: "verlAgent",
  "trl-grpo": "trl",
  "trl-async-grpo": "trlAsync",
  openrlhf: "openRlhf",
  skyrl: "skyRl",
  slime: "slime",
  "nemo-rl": "nemoRl",
  "prime-rl": "primeRl",
  roll: "roll",
  areal: "areal",
  ragen: "ragen",
  rllm: "rllm",
  art: "art",
};

/** Names whose catalogue metric differs from the expected metric, with the reason. */
const differing: readonly [trainer: RegExp, key: RegExp, is: string | undefined, why: string][] = [
  [/^trl-grpo$/, /^policy_loss$/, undefined, "contains the KL penalty"],
  [/^trl/, /^clip_ratio\/high_mean$/, "policy/boundedHighFraction", "the sign of the advantage must match"],
  [/^trl/, /^clip_ratio\/low_mean$/, "policy/boundedLowFraction", "the sign of the advantage must match"],
  [/^prime-rl$/, /^is_masked_high\//, "policy/boundedHighFraction", "the sign of the advantage must match"],
  [/^prime-rl$/, /^is_masked_low\//, "policy/boundedLowFraction", "the sign of the advantage must match"],
  [/^(verl-agent|arlarena)$/, /^episode\/\{source\}_success_rate$/, undefined, "ALFWorld names parts so"],
  [/^arlarena$/, /num_masked_seqs$/, "policy/numMaskedRows", "a number, not a share"],
  [/^nemo-rl$/, /pct_0$/, "group/noneSolvedFraction", "one of the two parts of groups without signal"],
  [/^nemo-rl$/, /^train\/grad_norm$/, undefined, "a sum over updates"],
  [/^skyrl$/, /num_zero_variance_filtered$/, undefined, "a number of groups, not a share"],
  [/^verl$/, /k3_kl$/, "mismatch/k3", "has a metric of its own"],
  [/^nemo-rl$/, /gen_kl_error$/, "mismatch/k3", "is k3 by default, which has a metric of its own"],
  [/^rllm$/, /kl_sample_train_v2$/, undefined, "is k2, half the mean square, which has none"],
  [/^rllm$/, /k3_kl$/, "mismatch/k3", "has a metric of its own"],
  [/^prime-rl$/, /^mismatch_kl\/all/, "mismatch/k3", "is k3, which has a metric of its own, and k1 is not logged"],
  [/^slime$/, /zero_std/, undefined, "a number of groups for each reward"],
  [/^ragen$/, /filter_zero_count$/, undefined, "a number of groups, not a share"],
  [/^(skyrl|slime)$/, /per_gpu/, undefined, "per GPU, whose number is not logged"],
  [/^slime$/, /^eval\/\{dataset\}-pass@/, "evaluation/successRate", "as the source says of k = 1"],
];

const alfworldTypes: Readonly<Record<string, string>> = {
  pick_and_place: "pick",
  pick_two_obj_and_place: "pick2",
  look_at_obj_in_light: "look",
  pick_heat_then_place_in_recep: "heat",
  pick_cool_then_place_in_recep: "cool",
  pick_clean_then_place_in_recep: "clean",
};

/** Fixed text that replaces each variable part of a metric name. */
const parts: Readonly<Record<string, string>> = {
  n: "1",
  k: "1",
  i: "0",
  split: "train",
  agent: "solver",
  role: "solver",
  env: "math",
  source: "math",
  dataset: "math",
  tag: "math",
  "acc|reward": "acc",
  "all|effective": "all",
  subset: "all",
  reward: "0.5",
};
const toKey = (key: string): string => key.replaceAll(/\{([^}]*)\}/g, (_, part: string) => parts[part] ?? "some");

type Expected = { key: string; is: string | undefined; factor: number; isExact: boolean };

function expectedOf({ id, metrics }: Source): Expected[] {
  return metrics
    .filter(({ key }) => !key.includes("…"))
    .flatMap(({ key, canonical, factor, match }) => {
      if (canonical === null) return [];
      const other = differing.find(([trainer, pattern]) => trainer.test(id) && pattern.test(key));
      const [, task] = /^taskSuccess\/(.*)$/.exec(canonical) ?? [];
      const is = other ? other[2] : task === undefined ? canonical : `taskSuccess/${alfworldTypes[task] ?? task}`;
      return [{ key: toKey(key), is, factor: factor ?? (id === "nemo-rl" ? 0.01 : 1), isExact: match === "exact" }];
    });
}

const isThere = existsSync(file);
const sources = isThere
  ? z.object({ trainers: z.array(Source) }).parse(JSON.parse(readFileSync(file, "utf8"))).trainers
  : [];

describe.skipIf(!isThere)("names of other trainers against their sources (needs the reference folder)", () => {
  it.each(sources.map((source) => [source.name, source] as const))("%s: each name alone", (_, source) => {
    const dialect = dialectOf[source.id];
    if (dialect === undefined) throw new Error(`no table of names for ${source.id}`);
    const read = expectedOf(source).map(({ key, is, factor }) => {
      const reading = readName(key, dialect);
      return { key, is: reading?.is, factor: is === undefined ? factor : reading?.factor };
    });
    expect(read).toEqual(expectedOf(source).map(({ key, is, factor }) => ({ key, is, factor })));
  });

  it("differs from the sources' readers only where it says why", () => {
    const used = differing.filter(([trainer, pattern]) =>
      sources.some(({ id, metrics }) => trainer.test(id) && metrics.some(({ key }) => pattern.test(key))),
    );
    expect(used).toEqual(differing);
  });

  it("says of every log whose it is, by its names alone", () => {
    for (const source of sources) expect(guessDialect(valuesOf(source).keys())).toBe(dialectOf[source.id]);
  });

  it("and the documentation has how many metrics each kind of log gives", async () => {
    await expect(toDocument()).toMatchFileSnapshot("../../../../docs/generated/names.md");
  });
});

/** Gives every name in the source its own value. Values are fractions, so that no rate is read as a percentage. */
function valuesOf({ metrics }: Source): Map<string, number> {
  const keys = metrics.map(({ key }) => toKey(key)).filter((key) => !/[…{]/.test(key));
  return new Map([...new Set(keys)].map((key, i) => [key, (i + 1) / 1000]));
}

const kinds = ["console", "JSON lines", "TensorBoard", "W&B", "MLflow"] as const;
type Kind = (typeof kinds)[number];

/** Writes a log of two steps in the format of the trainer's source; undefined if the trainer has no such log. */
function writeLog(source: Source, kind: Kind): Uint8Array | undefined {
  const { id, sinks } = source;
  const values = Object.fromEntries(valuesOf(source));
  const measured = [1, 2].map((step) => ({ step, values }));
  const inWords = (write: ((one: (typeof measured)[number]) => string) | undefined) =>
    write && new TextEncoder().encode(`${measured.map(write).join("\n")}\n`);
  switch (kind) {
    case "console":
      return inWords(consoleWriters[id]);
    case "JSON lines":
      return inWords(jsonWriters[id]);
    case "TensorBoard":
      return sinks["tensorboard"] === null ? undefined : toEventFile(measured);
    case "W&B":
      return sinks["wandb"] === null ? undefined : new TextEncoder().encode(toWandbCsv(measured));
    case "MLflow":
      return sinks["mlflow"] === null ? undefined : new TextEncoder().encode(toMlflowCsv(measured));
  }
}

/** Counts the catalogue metrics read from a log, after checking each against its source value times the factor. */
function countMapped(source: Source, bytes: Uint8Array): number {
  const values = valuesOf(source);
  const { runs } = planImport([{ fileName: "run.log", file: readForeignFile("run.log", bytes) }]);
  const points = runs[0]?.run.points ?? [];
  expect([source.id, points.length]).toEqual([source.id, 2]);
  const wanted = groupBy(
    expectedOf(source).filter(({ is }) => is !== undefined),
    ({ is }) => is ?? "",
  );
  return [...wanted].filter(([name, ways]) => {
    const value = points.at(-1)?.values[name];
    return value !== undefined && ways.some(({ key, factor }) => isNear(value, (values.get(key) ?? NaN) * factor));
  }).length;
}

const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-4 * Math.abs(b);

function toDocument(): string {
  const head = ["trainer", "names in its source", "of these in the catalogue", "metrics", ...kinds, "one by one"];
  const rows = sources.map((source) => {
    const expected = expectedOf(source).filter(({ is }) => is !== undefined);
    const exact = expected.filter(({ isExact }) => isExact).length;
    const metrics = new Set(expected.map(({ is }) => is));
    const logs = kinds.map((kind) => {
      const bytes = writeLog(source, kind);
      return bytes === undefined ? "" : String(countMapped(source, bytes));
    });
    const alone = countOneByOne(source, metrics);
    const inCatalogue = `${expected.length} (${exact} exactly)`;
    return [source.name, source.metrics.length, inCatalogue, metrics.size, ...logs, alone].map(String);
  });
  const tables = Object.entries(dialects).map(([, { title, names }]) => {
    const lines = Object.entries(names).map(([name, meaning]) => {
      if (meaning === null) return `| \`${name}\` | *none* | |`;
      if (typeof meaning === "string") return `| \`${name}\` | \`${meaning}\` | |`;
      if ("is" in meaning) return `| \`${name}\` | \`${meaning.is}\`, \`${meaning.each}\` of several | |`;
      return `| \`${name}\` | \`${meaning[0]}\` | ${meaning[1]} |`;
    });
    return `## ${title}\n\n| its name | in the catalogue | × |\n| --- | --- | --- |\n${lines.join("\n")}\n`;
  });
  const table = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  return `# Other trainers' names\n
Made by \`trainerLogs.test.ts\` from what each trainer logs by its own sources: every name was written into a log of each kind that the trainer writes, as it writes it, and the log imported.
A console prints fewer names than a tracker gets. *Metrics* are those of the catalogue that the names have, *one by one* what is named where each is sent by itself, as some MLflow loggers do.\n
${table}\n
Where several names of one run have one meaning, the first of its table has the catalogue's name and the others keep theirs. \`{part}\` is any text without a slash, \`{part/}\` any text.
*None* is a name that could be taken for one of the catalogue's and measures something else.\n
${tables.join("\n")}`;
}

/** Counts the same metrics for a run that logs each metric in a separate message. */
function countOneByOne(source: Source, metrics: ReadonlySet<string | undefined>): number {
  const name = makeNamer();
  const found = new Set<string>();
  for (const [key, value] of valuesOf(source))
    for (const one of Object.keys(name({ [key]: value }).values)) found.add(one);
  return [...metrics].filter((metric) => metric !== undefined && found.has(metric)).length;
}
