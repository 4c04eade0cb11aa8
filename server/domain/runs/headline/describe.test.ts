import { expect, it } from "vitest";
import { describeHeadline, nameLeader } from "./describe.ts";
import { rankConfigurations, type Collapses, type Configuration } from "./rank.ts";

const metric = { title: "Success rate", unit: "fraction", better: "up" } as const;
const configuration = (name: string, values: number[], environment = "sokoban"): Configuration => ({
  cellId: 1,
  method: name,
  name,
  task: environment,
  environment,
  values,
  starts: [],
  collapses: { numRuns: values.length, numJudged: 0, numCollapsed: 0, numUnclear: 0, numAwaited: 0, numAlarmed: 0 },
});
const judged = (one: Configuration, numCollapsed: number, numUnclear = 0): Configuration => ({
  ...one,
  collapses: { ...one.collapses, numJudged: one.values.length, numCollapsed, numUnclear },
});
const from = (start: number, ...given: Parameters<typeof configuration>): Configuration => {
  const made = configuration(...given);
  return { ...made, starts: made.values.map(() => start) };
};
const describeAll = (
  configurations: Configuration[],
  more: Partial<Omit<Collapses, "numRuns">> & { isSearch?: boolean } = {},
) => {
  const numRuns = configurations.reduce((sum, { values }) => sum + values.length, 0);
  const rankings = rankConfigurations(configurations, metric);
  const {
    numCollapsed = 0,
    numJudged = numRuns,
    numUnclear = 0,
    numAwaited = 0,
    numAlarmed = 0,
    isSearch = false,
  } = more;
  const collapses = { numRuns, numJudged, numCollapsed, numUnclear, numAwaited, numAlarmed };
  return describeHeadline({ metric, rankings, isSearch, collapses });
};

it("says who is ahead, with the 95 % interval, and that three seeds do not tell it apart", () => {
  const sentence = describeAll([configuration("GRPO", [0.6, 0.7, 0.65]), configuration("SAMPO", [0.6, 0.75, 0.7])]);
  // The half-width follows from t(2, .975) = 4.303: 4.303 · 7.638 / √3 = 18.97.
  expect(sentence).toBe(
    "SAMPO is ahead in success rate with 68.3 [49, 87] % (3 seeds), then GRPO with 65.0 [53, 77] %; the difference is not significant: +3.3 [−12, 19] points. No run collapsed.",
  );
});

it("names the best of a search, and that it was chosen by the seeds that judge it", () => {
  const trials = [configuration("GRPO trial 0", [0.5, 0.5, 0.5]), configuration("GRPO trial 1", [0.6, 0.7, 0.65])];
  expect(describeAll(trials, { isSearch: true })).toBe(
    "GRPO trial 1 is the best of 2 configurations that the search trained, with success rate 65.0 [53, 77] % (3 seeds); the value is biased in its favour, because it was selected on these seeds. No run collapsed.",
  );
});

it("says that trials of a search tie as best", () => {
  const trials = [0, 1, 2].map((i) => configuration(`GRPO trial ${i}`, [i === 2 ? 0.5 : 0.6]));
  expect(describeAll(trials, { isSearch: true })).toContain(
    "GRPO trial 0 and GRPO trial 1 tie as the best of 3 configurations that the search trained, with success rate 60.0 %; the values are biased",
  );
});

it("says of how many a leader can be told apart, and how many runs collapsed", () => {
  const [low, near] = [configuration("SAPO", [0.1, 0.11, 0.12, 0.1]), configuration("GSPO", [0.58, 0.66, 0.6, 0.7])];
  const sentence = describeAll([low, configuration("SAMPO", [0.64, 0.65, 0.66, 0.65]), near], { numCollapsed: 2 });
  expect(sentence).toContain("is significantly ahead of 1 of the 2 others. 2 of 12 runs collapsed.");
});

it("says which runs nothing is known of: they are not counted as runs that did not collapse", () => {
  const runs = [configuration("A", [0.5, 0.6]), configuration("B", [0.1, 0.2])];
  expect(describeAll(runs, { numJudged: 3 })).toContain(
    "None of 3 judged runs collapsed; 1 run not judged (too short, or no success or reward logged).",
  );
  expect(describeAll(runs, { numJudged: 2, numCollapsed: 1 })).toContain(
    "1 of 2 judged runs collapsed; 2 runs not judged",
  );
  // Unclear runs count as not collapsed, and are said as on every other page.
  expect(describeAll(runs, { numJudged: 3, numCollapsed: 1, numUnclear: 2 })).toContain(
    "1 of 3 judged runs collapsed, 2 unclear; 1 run not judged",
  );
  expect(describeAll(runs, { numCollapsed: 1, numUnclear: 2 })).toContain("1 of 4 runs collapsed, 2 unclear.");
  expect(describeAll(runs, { numJudged: 0 })).toContain(
    ". 4 runs not judged (too short, or no success or reward logged).",
  );
});

it("says which runs are not judged yet, and how many of them have an alarm", () => {
  const runs = [configuration("A", [0.5, 0.6]), configuration("B", [0.1, 0.2])];
  expect(describeAll(runs, { numJudged: 2, numCollapsed: 1, numAwaited: 2, numAlarmed: 1 })).toContain(
    "1 of 2 judged runs collapsed; 2 runs not judged yet, 1 of them with an alarm.",
  );
  expect(describeAll(runs, { numJudged: 0, numAwaited: 4 })).toContain(". 4 runs not judged yet.");
});

it("says who leads, where the lead is more than seeds make", () => {
  const runs = [configuration("GRPO", [0.4, 0.42, 0.38]), configuration("SAMPO", [0.7, 0.72, 0.75])];
  expect(describeAll(runs)).toMatch(/^SAMPO leads in success rate with .*; the difference is significant: \+32\.3 \[/);
});

it("says that equal figures tie, whatever rounding left between them, in no order of arrival", () => {
  const [sampo, grpo] = [configuration("SAMPO", [0.1 + 0.2]), configuration("GRPO", [0.3])];
  const tie = "GRPO and SAMPO tie at 30.0 % in success rate (1 seed each)";
  expect(describeAll([sampo, grpo])).toContain(`${tie}.`);
  expect(describeAll([grpo, sampo])).toContain(`${tie}.`);
  expect(describeAll([grpo, sampo, configuration("SAPO", [0.2])])).toContain(`${tie}, then SAPO with 20.0 %.`);
  expect(describeAll([grpo, sampo, configuration("SAPO", [0.3])])).toContain("All three tie at 30.0 %");
});

it("says when no configuration is better than before training", () => {
  const four = ["GRPO", "GSPO", "SAMPO", "SAPO"].map((name, i) => from(0.301, name, [0.25 - i / 100]));
  expect(describeAll(four)).toContain(
    "All four fell during training, from 30.1 to between 22.0 and 25.0 %. No run collapsed.",
  );
  expect(describeAll([...four.slice(0, 2), from(0.28, "DAPO", [0.28])])).toContain(
    "None of the three is better than before training (between 28.0 and 30.1 %).",
  );
  expect(describeAll([from(0.301, "A", [0.301])])).toContain("It is no better than before training (30.1 %).");
  // Its two starts are no fall and rise: "from 29.7 to 30.1 %" would read as one.
  const two = [from(0.297, "GRPO", [0.25]), from(0.301, "SAMPO", [0.2])];
  expect(describeAll(two)).toContain(
    "Both fell during training, from between 29.7 and 30.1 to between 20.0 and 25.0 %.",
  );
  expect(describeAll([...four, from(0.301, "DAPO", [0.4])])).not.toMatch(/fell|start/);
  expect(describeAll([...four, configuration("DAPO", [0.2])]), "a start is missing").not.toMatch(/fell|start/);
});

it("tests nothing below three seeds", () => {
  const sentence = describeAll([configuration("A", [0.5, 0.6]), configuration("B", [0.1, 0.2])]);
  expect(sentence).toContain("A is ahead in success rate with 55.0 % (2 seeds)");
  expect(sentence).toContain("there are too few seeds for a significant difference");
});

it("answers each environment by itself, and nothing where no run has a value", () => {
  const sentence = describeAll([configuration("A", [0.5]), configuration("A", [0.7], "webshop")]);
  expect(sentence).toContain(
    "sokoban: The success rate of A is 50.0 % (1 seed). webshop: The success rate of A is 70.0 %",
  );
  expect(describeAll([configuration("A", [NaN])])).toBe("");
});

it("ranks the least first where less is better, and leaves runs without a value out", () => {
  const [ranking] = rankConfigurations([configuration("A", [3, NaN]), configuration("B", [2, 2.5])], {
    unit: "",
    better: "down",
  });
  expect(ranking?.ranked.map(({ name, n }) => [name, n])).toEqual([
    ["B", 2],
    ["A", 1],
  ]);
});

it.each([
  [[configuration("A", [0.5, 0.6])], "A: 55.0 %"],
  [[configuration("A", [0.5]), configuration("B", [0.4])], "No clear leader; A highest: 50.0 %"],
  [[configuration("B", [0.5]), configuration("A", [0.5])], "A and B tie: 50.0 %"],
  [
    [configuration("GRPO", [0.4, 0.42, 0.38]), configuration("SAMPO", [0.7, 0.72, 0.75])],
    "SAMPO leads: 72.3 [66, 79] %",
  ],
])("names the leader", (configurations, text) => {
  const [ranking] = rankConfigurations(configurations, metric);
  expect(ranking && nameLeader(ranking, metric)).toBe(text);
});

it("compares collapses beside success, within each task", () => {
  const three = (name: string, task = "sokoban") => configuration(name, [0.5, 0.6, 0.7], task);
  const tell = (ranked: Configuration[]) => {
    const numCollapsed = ranked.reduce((sum, { collapses }) => sum + collapses.numCollapsed, 0);
    return describeAll(ranked, { numCollapsed }).replace(/^.*?(?=(No \w+|None|\d+ of \d+ runs|\w+ collapsed) )/, "");
  };
  expect(tell([judged(three("A"), 0), judged(three("B"), 0)])).toBe(
    "No method differs in collapses: 0 of 3 each; 3 runs cannot exclude a collapse rate up to 56 %.",
  );
  expect(tell([judged(three("A"), 0), judged(three("B"), 2)])).toBe(
    "2 of 6 runs collapsed. Collapsed: B ×2. No method differs significantly in collapses: 0 of 3 to 2 of 3.",
  );
  const ten = (name: string) =>
    configuration(
      name,
      Array.from({ length: 10 }, (_, i) => i / 20),
    );
  // Fisher's exact p of 0 of 10 against 8 of 10 is .0007, against 1 of 10 it is 1.
  expect(tell([judged(ten("A"), 0), judged(ten("B"), 8), judged(ten("C"), 1)])).toBe(
    "9 of 30 runs collapsed. Collapsed: B ×8 and C. A collapsed significantly less often (0 of 10) than B (8 of 10).",
  );
  const two = { ...judged(three("B"), 0), method: "A" };
  expect(tell([judged(three("A"), 0), two])).toBe(
    "No configuration differs in collapses: 0 of 3 each; 3 runs cannot exclude a collapse rate up to 56 %.",
  );
  // Two of three runs may have collapsed: the Wilson interval of 2 of 3 ends at 94 %.
  expect(tell([judged(three("A"), 0, 2), judged(three("B"), 0, 2)])).toContain(
    "No method differs in collapses: 0 of 3, 2 unclear each; 3 runs cannot exclude a collapse rate up to 94 %.",
  );
  expect(tell([judged(three("A"), 0, 2), judged(three("B"), 0)])).toContain(
    "No method differs significantly in collapses: 0 of 3 to 0 of 3, 2 unclear.",
  );
  expect(tell([judged(ten("A"), 0, 10), judged(ten("B"), 8)])).toContain(
    "No method differs significantly in collapses: 0 of 10, 10 unclear to 8 of 10.",
  );
  const tasks = ["6×6", "7×7"].map((task) => judged(three("A", task), 1));
  expect(tell(tasks)).toBe("2 of 6 runs collapsed. Collapsed: A in 6×6 and A in 7×7.");
});

it("compares no collapses before all runs are judged", () => {
  const two = [judged(configuration("A", [0.5, 0.6]), 0), judged(configuration("B", [0.4, 0.5]), 0)];
  expect(describeAll(two, { numJudged: 3, numAwaited: 1 })).not.toMatch(/differs/);
});

it("does not rank configurations that have trained for different numbers of iterations", () => {
  const at = (name: string, value: number, iteration?: number) => ({ ...configuration(name, [value]), iteration });
  const uneven = [at("GRPO", 0.5), at("SAMPO", 0.6, 12)];
  expect(describeAll(uneven)).toContain(
    "The success rate so far, not compared at different iterations: SAMPO 60.0 % (iteration 12), GRPO 50.0 %.",
  );
  const [ranking] = rankConfigurations(uneven, metric);
  expect(ranking && nameLeader(ranking, metric)).toBe("Not comparable yet; SAMPO 60.0 % so far");
  expect(describeAll([at("GRPO", 0.5, 12), at("SAMPO", 0.6, 12)])).toContain("SAMPO is ahead");
});

it("names who collapsed", () => {
  const four = ["A", "B", "C", "D", "E"].map((name, i) => judged(configuration(name, [0.1 * i, 0.1 * i]), i % 3));
  expect(describeAll(four, { numCollapsed: 4 })).toContain("4 of 10 runs collapsed. Collapsed: C ×2, B and E.");
});

it("names the runs that it leaves out", () => {
  const none = { numCollapsed: 0, numStarts: 0, numTrials: 0, numEqual: 0, equal: [], included: null };
  const leftOut = { numBranches: 15, numOrigins: 1, ...none };
  const rankings = rankConfigurations([configuration("A", [0.5])], metric);
  const collapses = { numRuns: 1, numJudged: 1, numCollapsed: 0, numUnclear: 0, numAwaited: 0, numAlarmed: 0 };
  expect(describeHeadline({ metric, rankings, collapses, leftOut })).toMatch(/: 15 branches of one run\.$/);
});
