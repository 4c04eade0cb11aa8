import { describe, expect, it } from "vitest";
import { emptyTally, mergeTallies, summarise, tallyPolicy } from "#trainer/objective/diagnostics.ts";
import { split } from "#trainer/spec/rng.ts";
import { methodOf } from "#trainer/spec/method.ts";
import { StoredEpisode } from "#trainer/spec/storedEpisode.ts";
import { planImport } from "../planImport.ts";
import { readForeignFile } from "../readForeignFile.ts";
import { describeStrata, type ResponseTokens } from "./dump.ts";

const rng = split(7, "dump");
const noise = (scale: number) => (rng.next() - 0.5) * scale;

/** The responses have several lengths, and positive, negative and zero advantages. */
const responses = [5, 9, 1, 7, 4].map((length, row): ResponseTokens => {
  const oldLogProbs = Array.from({ length }, () => -0.05 - rng.next());
  return {
    oldLogProbs,
    logProbs: oldLogProbs.map((x, t) => (t % 3 === 0 ? x + 1e-7 : x + noise(0.8))),
    entropies: oldLogProbs.map(() => rng.next()),
    referenceLogProbs: oldLogProbs.map((x) => x + noise(0.5)),
    advantages: [1.5, -0.7, 0, -2, 0.3][row] ?? 0,
  };
});

/** ARLArena's recipes first write all rollouts, and then their tokens, padded with zeros to one width. */
const width = 12;
const padded = (values: readonly number[]) => [...values, ...Array<number>(width - values.length).fill(0)];
const rollouts = responses.map((_, i) => ({
  input: `Task ${i}: put an egg into the fridge.`,
  output: `<think>It is in the kitchen.</think><action>go to fridge ${i}</action>`,
  score: [10, 0, 0, 0, 10][i] ?? 0,
  step: 3,
}));
const tokens = responses.map((one) => ({
  input_ids: [1, 2, 3],
  log_probs: padded(one.logProbs),
  old_log_probs: padded(one.oldLogProbs),
  entropy: padded(one.entropies),
  ref_log_probs: padded(one.referenceLogProbs ?? []),
  advantages: one.advantages,
}));
const toText = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
const read = (name: string, rows: readonly object[]) => ({
  fileName: name,
  file: readForeignFile(name, new TextEncoder().encode(toText(rows))),
});

/** Values that the built-in trainer would log for these tokens. */
function byTheTrainer(): Record<string, number> {
  const entropies = responses.flatMap((one) => [...one.entropies]).sort((a, b) => a - b);
  const entropyThreshold = entropies[Math.floor(entropies.length / 2)] ?? NaN;
  const tallies = responses.map((one) => {
    const { length } = one.logProbs;
    const doubles = (values: readonly number[]) => Float64Array.from(values);
    return tallyPolicy(methodOf("grpo").clipping, {
      shape: [1, length],
      logProbs: doubles(one.logProbs),
      oldLogProbs: doubles(one.oldLogProbs),
      advantages: new Float64Array(length).fill(Number(one.advantages)),
      mask: new Uint8Array(length).fill(1),
      referenceLogProbs: doubles(one.referenceLogProbs ?? []),
      context: { entropies: doubles(one.entropies), entropyThreshold },
    });
  });
  return { ...summarise(tallies.reduce(mergeTallies, emptyTally)) };
}

describe("verl's rollout dumps", () => {
  const found = read("run_grpo_alfworld/rollouts/3.jsonl", [...rollouts, ...tokens]);
  const values = found.file.runs[0]?.lines[0]?.values ?? {};

  it("give the strata that the trainer itself would log of these tokens", () => {
    const trained = byTheTrainer();
    const wanted = Object.keys(values).filter((key) => key !== "rollouts/number");
    expect(wanted.filter((key) => key.startsWith("strata"))).toHaveLength(16);
    for (const key of wanted) expect([key, values[key]]).toEqual([key, expect.closeTo(trained[key] ?? NaN, 9)]);
    // The values are equal only without padding: zeros in the file are not tokens.
    expect(describeStrata(responses)).toEqual(Object.fromEntries(wanted.map((key) => [key, values[key]])));
  });

  it("give episodes of one turn that the viewer reads, the first of a step", () => {
    const episodes = found.file.runs[0]?.episodes ?? [];
    expect(episodes.map((one) => StoredEpisode.parse(one))).toEqual(episodes);
    expect(episodes[0]).toMatchObject({
      iteration: 3,
      isSuccess: true,
      episodeReward: 10,
      turns: [{ action: "go to fridge 0" }],
    });
    expect(episodes.map(({ isSuccess }) => isSuccess)).toEqual([true, false, false, false, true]);
    const many = read(
      "run_grpo_alfworld/rollouts/4.jsonl",
      Array.from({ length: 40 }, () => rollouts[0] ?? {}),
    );
    expect(many.file.runs[0]?.episodes).toHaveLength(16);
    expect(many.file.notes).toEqual([
      "the first 16 rollouts of each step are imported",
      "rollouts without log-probabilities have no token strata",
    ]);
    expect(planImport([many, many]).runs[0]?.run.notes.filter((note) => note.startsWith("the first 16"))).toHaveLength(
      1,
    );
    const words = many.file.runs[0]?.episodes?.[0]?.turns[0]?.response.map(({ token }) => token) ?? [];
    expect([words.length, words.join("")]).toEqual([8, rollouts[0]?.output]);
  });

  it("are files of one run, a step each, named after the folder above", () => {
    const later = read(
      "run_grpo_alfworld/rollouts/4.jsonl",
      rollouts.map((row) => ({ ...row, step: 4 })),
    );
    const { runs, cells } = planImport([later, found]);
    expect(cells).toMatchObject([{ method: "GRPO" }]);
    expect(runs.map(({ run }) => run.points.map(({ iteration }) => iteration))).toEqual([[3, 4]]);
    expect(runs[0]?.run.episodes.map(({ iteration }) => iteration)).toEqual([3, 3, 3, 3, 3, 4, 4, 4, 4, 4]);
  });

  it("are no metrics to whoever reads JSON lines, and a torn line is counted", () => {
    const bytes = new TextEncoder().encode(`${toText(rollouts)}{"input_ids": [1, 2`);
    const { format, unread, runs } = readForeignFile("3.jsonl", bytes);
    expect([format, unread.count]).toEqual(["rollouts", 1]);
    expect(Object.keys(runs[0]?.lines[0]?.values ?? {})).toEqual(["rollouts/number"]);
  });
});
