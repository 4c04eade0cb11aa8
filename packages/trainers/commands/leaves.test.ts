// @module-tag soak
import { describe, expect, it } from "vitest";
import { conflictsOf } from "#trainer/spec/conflicts.ts";
import { leavesOf } from "#trainer/spec/leaves.ts";
import { methodNames, methodOf, type Method } from "#trainer/spec/method.ts";
import { comparedMethods } from "#trainer/spec/methods/compared.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { formatIssue } from "#packages/base";
import { alternativesOf } from "./testing/alternatives.ts";
import { arealArguments } from "./areal/arguments.ts";
import { primeArguments } from "./prime/arguments.ts";
import { trlArguments } from "./trl/arguments.ts";
import { verlArguments } from "./resolveTemplate.ts";
import type { VerlSettings } from "./verl/run.ts";
import { settings } from "./testing/settings.ts";

type Outcome = { command: string[]; notes: string[]; problems: string[] };

const verl = (flavour: VerlSettings["flavour"]) => (spec: RunSpec) => {
  const { overrides, notes, problems } = verlArguments(spec, { ...settings, flavour, gpus: 2 });
  return { command: overrides, notes: notes.map(formatIssue), problems: problems.map(formatIssue) };
};
const trl = (spec: RunSpec): Outcome => {
  const { arguments: command, notes, problems } = trlArguments(spec, { outputFolder: "/out", processes: 1 });
  return { command, notes: notes.map(formatIssue), problems: problems.map(formatIssue) };
};

const areal = (spec: RunSpec): Outcome => {
  const made = arealArguments(spec, { runFolder: "/runs/r", run: "r", hasCritic: true });
  return { command: made.overrides, notes: made.notes.map(formatIssue), problems: made.problems.map(formatIssue) };
};

const prime = (spec: RunSpec): Outcome => {
  const { arguments: command, notes, problems } = primeArguments(spec, { outputFolder: "/out", hasEvaluations: true });
  return { command, notes: notes.map(formatIssue), problems: problems.map(formatIssue) };
};

const base = (method: unknown, change: object = {}) =>
  RunSpec.parse({
    v: 1,
    seed: 0,
    environment: { id: "alfworld" },
    method,
    rollout: { numGroups: 16, groupSize: 8, maxResponseTokens: 256 },
    update: { minibatchRows: 64 },
    reward: { overlongPenalty: 0 },
    ...change,
  });

const inEnvironment = (id: string) => base(methodOf("grpo"), { environment: { id } });
const inReward = { klPlacement: "reward", klEstimator: "k1", klTarget: 0.1, minibatchRows: 64 };
/** Methods compared by ARLArena, and one method for each other combination of kinds. */
const covered = Object.values(
  Object.fromEntries(
    methodNames.toReversed().map((name) => {
      const { clipping, advantage, correction } = methodOf(name);
      return [name in comparedMethods ? name : `${clipping.kind} ${advantage.kind} ${correction !== undefined}`, name];
    }),
  ),
);
const bases = [
  ...covered.map((name) => base(methodOf(name))),
  base({
    ...methodOf("ppo"),
    advantage: { kind: "gae", turns: { gamma: 0.9, lambda: 0.9 }, criticLearningRate: 1e-5 },
  }),
  base({ ...methodOf("gigpo"), advantage: { kind: "gigpo", similarity: 0.9 } }),
  base(methodOf("grpo"), { update: inReward }),
  base(methodOf("grpo"), { evaluation: { samplesPerTask: 1 } }),
  base(methodOf("grpo"), {
    rollout: {
      numGroups: 16,
      groupSize: 8,
      maxResponseTokens: 256,
      lag: { kind: "constant", k: 0 },
      samplerPrecision: "float32",
      samplerNoise: { sigma: 0 },
      loopControl: "none",
    },
  }),
  base(methodOf("grpo"), { initialisation: { kind: "scratch" } }),
  base(methodOf("grpo"), { budget: { split: { units: 1000, demonstrationShare: 0.5 } } }),
];

/** Variants for trainers whose rows are episodes, in whole groups. */
const episodeBases = bases.map((spec) => ({ ...spec, rollout: { ...spec.rollout, shape: "transcript" as const } }));
/** Variants without a KL penalty in the loss, which most methods have and AReaL lacks. */
const withoutPenalties = episodeBases.map((spec) => {
  const klCoef = spec.update.klPlacement === "reward" ? spec.update.klCoef : 0;
  return { ...spec, update: { ...spec.update, klCoef }, reward: { ...spec.reward, overlongPenalty: 0.1 } };
});
/** Variants for prime-rl, in which a step is one update, whatever the method. */
const primeBases = withoutPenalties.map((spec) => ({ ...spec, update: { ...spec.update, minibatchRows: 128 } }));
const inMath = (method: Method) => base(method, { environment: { id: "tirMath" }, optimizer: { learningRate: 1e-6 } });
const mathBases = [
  ...covered.map((name) => inMath(methodOf(name))),
  inMath({ ...methodOf("grpo"), sampling: { kind: "oversample", factor: 2, maxTries: 1, signal: "reward" } }),
  { ...inMath(methodOf("grpo")), evaluation: { ...inMath(methodOf("grpo")).evaluation, samplesPerTask: 4 } },
];

const templates: [name: string, translate: (spec: RunSpec) => Outcome, specs: readonly RunSpec[]][] = [
  ["ARLArena", verl("arlarena"), [...bases, inEnvironment("webshop"), inEnvironment("sokoban")]],
  ["ARLArena, mathematics", verl("arlarena"), mathBases],
  ["verl-agent", verl("verlAgent"), bases],
  ["verl", verl("verl"), [...episodeBases, ...mathBases]],
  ["TRL", trl, [...bases, inEnvironment("sokoban"), inEnvironment("textworld")]],
  ["AReaL", areal, [...withoutPenalties, inEnvironment("sokoban"), inEnvironment("textworld")]],
  ["prime-rl", prime, [...primeBases, inEnvironment("sokoban"), inEnvironment("textworld")]],
];

/** Settings that have no effect if other settings have these values, also in the built-in trainer. */
const inert: readonly [path: string, isInert: (spec: RunSpec) => boolean][] = [
  ["update.klHorizon", ({ update }) => update.klTarget === null],
  ["update.klEstimator", ({ update }) => update.klCoef === 0],
  ["update.klPlacement", ({ update }) => update.klCoef === 0],
  ["method.correction.denominator", ({ method }) => method.correction?.reject.length === 0],
  ["method.penaltyAggregation", ({ update }) => update.klCoef === 0 && update.entropyCoef === 0],
];

/** Paths whose changes are covered by the rejection of a kind. */
const beneath: readonly [refused: string, paths: readonly string[]][] = [
  ["method.clipping.kind", ["method.clipping.", "method.aggregation", "method.penaltyAggregation"]],
  ["method.advantage.kind", ["method.advantage."]],
  ["method.advantage.turns", ["method.advantage.turns."]],
  ["method.sampling.kind", ["method.sampling."]],
  ["method.correction", ["method.correction."]],
  ["method.correction.step", ["method.correction.step."]],
  ["budget.split", ["budget.split."]],
];

/** Null is the prompt shape in the environment's paper, here `windowed`. */
const isSameShape = (a: RunSpec, b: RunSpec): boolean =>
  (a.rollout.shape ?? "windowed") === (b.rollout.shape ?? "windowed") && a.rollout.shape !== b.rollout.shape;

type Verdict = "passed" | "noted" | "refused" | "ignored";

/** Result of changing one leaf, with the reason if it is not passed. */
function judge(path: string, before: Outcome, after: Outcome): [Verdict, string] {
  const isCovered = ({ problems }: Outcome): boolean =>
    beneath.some(
      ([refused, paths]) =>
        paths.some((start) => path.startsWith(start)) && problems.some((one) => one.startsWith(`${refused}: `)),
    );
  const added = (of: "notes" | "problems"): string | undefined => after[of].find((one) => !before[of].includes(one));
  const problem = added("problems");
  if (problem !== undefined) return ["refused", problem];
  if (isCovered(before)) return ["refused", ""];
  const note = added("notes");
  if (note !== undefined && path.startsWith(note.slice(0, note.indexOf(":")))) return ["noted", note];
  if (JSON.stringify(before.command) !== JSON.stringify(after.command)) return ["passed", ""];
  // If notes and problems disappear instead, the new value is the trainer's own.
  if (JSON.stringify(before) === JSON.stringify(after)) return ["ignored", ""];
  return ["noted", before.notes.find((one) => one.startsWith(`${path}: `)) ?? ""];
}

/** Returns, for every leaf of the specifications, the handlings of its other values, each with one reason. */
function coverageOf(translate: (spec: RunSpec) => Outcome, specs: readonly RunSpec[]) {
  const coverage = new Map<string, Map<Verdict, string>>();
  for (const spec of specs) {
    const before = translate(spec);
    for (const [path, changed] of changesOf(spec)) {
      const [verdict, reason] = judge(path, before, translate(changed));
      const known = coverage.get(path) ?? new Map<Verdict, string>();
      known.set(verdict, known.get(verdict) || reason);
      coverage.set(path, known);
    }
  }
  return coverage;
}

type Change = [path: string, changed: RunSpec];

/** Changes are cached for all templates, because computing them takes most of the file's time. */
const known = new Map<RunSpec, Change[]>();

/** Returns the specification with each leaf changed separately, for each change that is valid. */
function changesOf(spec: RunSpec): Change[] {
  const made = known.get(spec);
  if (made) return made;
  const changes = leavesOf(spec).flatMap((leaf): Change[] => {
    const path = leaf[0].join(".");
    if (path === "v" || inert.some(([name, isInert]) => name === path && isInert(spec))) return [];
    return alternativesOf(spec, leaf)
      .filter((changed) => conflictsOf(changed).length === 0 && !isSameShape(spec, changed))
      .map((changed) => [path, changed]);
  });
  known.set(spec, changes);
  return changes;
}

const coverages = new Map(templates.map(([name, translate, specs]) => [name, coverageOf(translate, specs)]));

describe.each([...coverages])("%s", (_, coverage) => {
  it("passes, refuses or notes every setting of a specification", () => {
    const ignored = [...coverage].filter(([, verdicts]) => verdicts.has("ignored")).map(([path]) => path);
    expect(ignored).toEqual([]);
    expect(coverage.size).toBeGreaterThan(80);
  });
});

it("and the documentation has them all", async () => {
  const paths = [...new Set([...coverages.values()].flatMap((coverage) => [...coverage.keys()]))].toSorted();
  const rows = paths.map((path) => [
    `\`${path}\``,
    ...[...coverages.values()].map((one) => write(path, one.get(path))),
  ]);
  const table = [["setting", ...coverages.keys()], templates.map(() => "---").concat("---"), ...rows];
  const text = `# What other trainers do with each setting\n
Each setting of a plan was changed alone, and the command made again: **passed** where the command carries it, *noted* where the run goes on without it and its page says so,
**refused** where a plan with that value is not accepted. Made by \`leaves.test.ts\`; a setting that did none of the three would fail it.\n
${table.map((cells) => `| ${cells.join(" | ")} |`).join("\n")}\n`;
  await expect(text).toMatchFileSnapshot("../../../docs/generated/settings.md");
});

function write(path: string, verdicts: ReadonlyMap<Verdict, string> | undefined): string {
  if (!verdicts) return "";
  const reasonOf = (verdict: Verdict): string => {
    const text = (verdicts.get(verdict) ?? "").replace(/^[\w.]+: /, "").replace(/^.*? is (?:not passed|refused): /, "");
    return text === "" ? "" : `: ${text}`;
  };
  return [
    ...(verdicts.has("passed") ? ["**passed**"] : []),
    ...(verdicts.has("noted") ? [`*noted*${reasonOf("noted")}`] : []),
    ...(verdicts.has("refused") ? [`**refused**${reasonOf("refused")}`] : []),
  ].join("; ");
}
