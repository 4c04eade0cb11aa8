import { expect, test } from "vitest";
import { methodNames, methodOf } from "#trainer/spec/method.ts";
import type { Processor } from "#server/domain/fleet/nodes/machine.ts";
import { parsePlan } from "#server/domain/plan/sweep/plan.ts";
import { listFileProblems, listProblems } from "../problems.ts";
import { addPart, addPoint, onlyPoint, removePart, setMethods, toggleMethod } from "./edits.ts";
import { fillFrom, setLevels, toggleLevel } from "./levels.ts";
import { isPartOn, setSetting, switchPart } from "./settings.ts";
import { emptyFile, nameOfPart, setIn, type Part } from "./sweepFile.ts";
import { prepareCouplings } from "../Dimensions.tsx";
import { prepareGroups } from "../prepareGroups.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { prepareSummary } from "../prepareSummary.ts";
import { checkFile } from "./check.ts";
import { readText } from "#server/domain/plan/sweep/file/yamlText.ts";

test("a method's chip puts it in and takes it out, keeping the order of choice", () => {
  const two = toggleMethod(toggleMethod(emptyFile, "sampo"), "grpo");
  expect(two["methods"]).toEqual(["sampo", "grpo"]);
  expect(toggleMethod(two, "sampo")["methods"]).toEqual(["grpo"]);
  const own = toggleMethod(two, { name: "Mine" });
  expect(setMethods(own, ["gspo"])["methods"]).toEqual(["gspo", { name: "Mine" }]);
});

test.each(methodNames)("filling the dimensions from %s and adding the point gives the method back", (name) => {
  const filled = fillFrom(emptyFile, name);
  const { penaltyAggregation: _, ...dimensions } = methodOf(name);
  expect(onlyPoint(filled)).toEqual(dimensions);
  const added = addPoint(filled, "a name of my own");
  expect(added).toEqual({ ...emptyFile, methods: [name] });
});

test("a changed point becomes a method under the given name", () => {
  const wider = setIn(fillFrom(emptyFile, "gspo"), ["grid", "clipping", 0, "high"], 0.03);
  expect(addPoint(wider, "Wide GSPO")["methods"]).toMatchObject([
    { name: "Wide GSPO", from: "grpo", clipping: { kind: "sequence", low: 3e-3, high: 0.03 } },
  ]);
});

test("ticks that make several points, or an invalid one, offer no name", () => {
  const two = toggleLevel(toggleLevel(emptyFile, "sampling", "all"), "sampling", "dynamic");
  expect(onlyPoint(two)).toBeUndefined();
  const wrong = setLevels(emptyFile, "clipping", [{ kind: "sequence", low: "x", high: 0.1 }]);
  expect(onlyPoint(wrong)).toBeUndefined();
  expect(onlyPoint(emptyFile)).toBeUndefined();
});

test("what GSPO fixes is said beside the aggregation, and that a choice has no effect", () => {
  const named = prepareCouplings(toggleMethod(emptyFile, "gspo"));
  expect(named.aggregation.map(({ severity }) => severity)).toEqual(["fixed", "note"]);
  const grid = toggleLevel(toggleLevel(emptyFile, "clipping", "sequence"), "aggregation", "tokenMean");
  expect(prepareCouplings(grid).aggregation.map(({ text }) => text)).toEqual([
    expect.stringContaining("has no effect"),
    expect.stringContaining("KL and entropy terms by token mean"),
  ]);
  expect(prepareCouplings(emptyFile).aggregation).toEqual([]);
});

test("the filter finds hyperparameters by words of title, path or meaning", () => {
  const groups = prepareGroups(setSetting(emptyFile, "optimizer.learningRate", "1e-4"), "learning rate");
  expect(groups.flatMap(({ items }) => items.flatMap(({ fields }) => fields.map(({ path }) => path)))).toContain(
    "optimizer.learningRate",
  );
  expect(groups.find(({ id }) => id === "optimizer")?.numSet).toBe(1);
  expect(prepareGroups(emptyFile, "no such thing")).toEqual([]);
});

test("a part that may be absent is switched on with values and off without any", () => {
  const on = switchPart(emptyFile, "budget.split", true);
  expect(isPartOn(on, "budget.split")).toBe(true);
  expect(checkFile({ ...on, methods: ["grpo"] }).valid?.plan.base.budget).toEqual({
    split: { units: 10_000, demonstrationShare: 0.25, demonstrationCost: 10 },
  });
  expect(switchPart(on, "budget.split", false)).toEqual(emptyFile);
});

test("without a filter only the parameters that the chosen methods have are shown", () => {
  const pathsOf = (file: Part, filter = "") =>
    prepareGroups(file, filter).flatMap(({ items }) => items.flatMap(({ fields }) => fields.map(({ path }) => path)));
  expect(pathsOf({ ...emptyFile, methods: ["grpo"] })).not.toContain("method.clipping.tauPositive");
  expect(pathsOf({ ...emptyFile, methods: ["grpo", "sapo"] })).toContain("method.clipping.tauPositive");
  expect(pathsOf({ ...emptyFile, methods: ["grpo"] }, "temperature for positive")).toEqual([
    "method.clipping.tauPositive",
  ]);
  expect(pathsOf(emptyFile)).not.toContain("initialisation.rounds");
  expect(pathsOf(setSetting(emptyFile, "initialisation.kind", "rejection"))).toContain("initialisation.rounds");
});

const noBasis = { calibrations: [], models: {}, prices: null, absent: {}, nodes: [] };

test("the summary counts cells, runs and minutes, and lists the first cells", () => {
  const { valid } = checkFile({ ...emptyFile, methods: methodNames, seeds: [0, 1, 2, 3, 4] });
  if (!valid) throw new Error("not valid");
  const summary = prepareSummary(valid, { slots: 2, ...noBasis });
  expect(summary.runs).toBe(`${methodNames.length * 5} runs`);
  expect(summary.product).toBe(`${methodNames.length} cells × 5 seeds`);
  expect(summary.time).toMatch(
    /^roughly .* on 2 slots, estimated from the settings; the true duration may be half or twice as long$/,
  );
  const past = { environment: "sokoban", size: "nano", numRuns: 1200, median: 2, low: 1.5, high: 3 };
  const known = prepareSummary(valid, { ...noBasis, slots: 2, calibrations: [past], prices: { low: 1, high: 1.5 } });
  expect(known.time).toMatch(
    /^roughly .* on 2 slots for [\d.,]+ to [\d.,]+; 90 % of 1,200 past runs took 0.75 to 1.5 times the estimate$/,
  );
  expect([summary.cells.length, summary.numMoreCells]).toEqual([8, methodNames.length - 8]);
  const [first, ...rest] = valid.expansion.cells;
  if (!first) throw new Error("no cell");
  const cells = [{ ...first, spec: { ...first.spec, trainer: { name: "arlarena", options: {} } } }, ...rest];
  const elsewhere = prepareSummary({ ...valid, expansion: { ...valid.expansion, cells } }, { slots: 2, ...noBasis });
  expect(elsewhere.time).toBe("trained by arlarena, whose speed is unknown");
});

const gpuOf = (memoryTotalMb: number) => ({
  index: 0,
  name: "A100",
  driver: null,
  memoryTotalMb,
  memoryUsedMb: null,
  utilisation: null,
  temperatureCelsius: null,
  powerWatts: null,
});

test("the summary says what a pretrained model takes, where it can be read", () => {
  const pretrained = "/models/Qwen3-0.6B";
  const plan = {
    name: "a",
    methods: ["grpo"],
    environments: [{ id: "sokoban" }],
    seeds: [0],
    base: { policy: { pretrained } },
  };
  const read = parsePlan(JSON.stringify(plan));
  const valid = { plan: read, expansion: expandPlan(read) };
  const memory = {
    parametersMb: 38_144,
    contextTokens: 4096,
    rowMb: 4000,
    recomputes: true,
    halves: null,
    neededMb: 44_109,
    problem: null,
  };
  const asked = { pretrained, memoryLimitMb: 48_000, provider: "cpu", problems: [] };
  const known = { ...asked, family: "qwen3", maxTokens: 40_960, numParameters: 596e6, numLearning: 596e6, memory };
  const summary = prepareSummary(valid, { slots: 2, ...noBasis, facts: [known] });
  expect(summary.models).toMatchObject([
    {
      name: "Qwen3-0.6B",
      what: "Qwen3, 596 M parameters, all trainable; context of 40,960 tokens",
      memory: {
        text: "A run needs 44,109 MB of memory; the limit is 48,000 MB.",
        parts:
          "Parameters 38,144 MB · a training row of 4,096 tokens 4,000 MB, with recomputed layers · process and sampling 1,965 MB",
      },
    },
  ]);
  expect(summary.time).toMatch(/^roughly .* on 2 slots/);
  const unknown = { ...asked, family: null, maxTokens: null, numParameters: null, numLearning: null, memory: null };
  const elsewhere = prepareSummary(valid, { slots: 2, ...noBasis, facts: [unknown] });
  expect(elsewhere.time).toBe("duration unknown, because the size of the pretrained model is unknown");
  expect(elsewhere.models).toMatchObject([{ name: "Qwen3-0.6B", memory: null }]);
  expect(elsewhere.models[0]?.what).toMatch(/^The studio's server cannot read the model/);
  const gpu = { node: { name: "gpu1" }, machines: [], processor: null, gpus: [gpuOf(40_000)] };
  const onGpu = { ...known, provider: "cuda" };
  expect(prepareSummary(valid, { slots: 2, ...noBasis, facts: [onGpu], nodes: [gpu] }).notes).toEqual([
    expect.stringMatching(
      /^Qwen3-0.6B needs 44,109 MB on cuda, but the largest known GPU, A100 on gpu1, has 41,943 MB/,
    ),
  ]);
});

test.each([
  [{ field: "base.optimizer.learningRate", message: "is 2, must be at most 1" }, "Learning rate"],
  [{ field: "grid.clipping.0.low", message: "is -1, must be at least 0" }, "Ratio clipping, Clip range below 1"],
  [{ field: "environments.0.size", message: "is 2, must be at least 5" }, "Room size"],
  [{ field: "methods", message: "has 0 entries" }, "Methods"],
  [{ field: "", message: "grid has 6,000 runs" }, "Grid has 6,000 runs"],
])("a problem at %j is named with the form's own words, its message only where no field shows it", (issue, text) => {
  expect(listProblems([issue]).map((problem) => problem.text)).toEqual([text]);
});

test("what two fields or one line have wrong alike is said once, and is gone when it is mended", () => {
  const issue = { field: "environments.0.size", message: "is 2, must be at least 5" };
  expect(listProblems([issue, { ...issue, field: "environments.1.size" }])).toHaveLength(1);
  const read = readText("name: Thrice\nbase: { seed: 1, seed: 2, seed: 3 }\n");
  expect(read.issues).toHaveLength(2);
  expect(listFileProblems(read.issues)).toEqual([expect.stringContaining("line 2")]);
});

const seeds = [0, 1, 2, 3, 4];

test("the summary says which runs would wait because what they compute with works on no node", () => {
  const { valid } = checkFile(
    setSetting({ ...emptyFile, methods: ["grpo"], seeds }, "execution.provider", "cpu, webgpu"),
  );
  if (!valid) throw new Error("not valid");
  const notesWith = (absent: Readonly<Record<string, string>>) =>
    prepareSummary(valid, { slots: 1, ...noBasis, absent }).notes;
  expect(notesWith({ webgpu: "local: there is no adapter", cuda: "local: no driver" })).toEqual([
    "webgpu is not available on any node, so runs that need it would wait (local: there is no adapter).",
  ]);
  expect(notesWith({ cuda: "local: no driver" })).toEqual([]);
});

test("the summary says that more memory is asked for than any node has", () => {
  const { valid } = checkFile(
    setSetting({ ...emptyFile, methods: ["grpo"], seeds }, "execution.memoryLimitMb", "1500, 9000"),
  );
  if (!valid) throw new Error("not valid");
  const nodeOf = (told: Processor | null) => ({ node: { name: "a" }, machines: [], gpus: null, processor: told });
  const processor = { numCores: 2, load: 0, memoryUsedBytes: 0, memoryTotalBytes: 8e9 };
  expect(prepareSummary(valid, { slots: 1, ...noBasis, nodes: [nodeOf(processor)] }).notes).toEqual([
    "Runs may use up to 9,000 MB of memory, but the largest node has 8,000 MB.",
  ]);
  expect(prepareSummary(valid, { slots: 1, ...noBasis, nodes: [nodeOf(processor), nodeOf(null)] }).notes).toEqual([]);
});

test("the summary says before launch that a policy from scratch may never learn", () => {
  const notes = (file: Part) => {
    const { valid } = checkFile({ ...file, methods: ["grpo"] });
    return valid && prepareSummary(valid, { slots: 1, ...noBasis }).notes;
  };
  expect(notes(setSetting(emptyFile, "initialisation.kind", "scratch"))).toEqual([
    "Every cell starts without demonstrations: a policy that never succeeds may never learn.",
  ]);
  expect(notes(emptyFile)).toEqual([]);
});

test("an added part has the first number that no other part's name has", () => {
  const parts = [{ id: "sokoban" }, { id: "sokoban" }, { id: "sokoban" }].reduce<Part[]>(
    (list, environment) => addPart(list, "parts", environment),
    [],
  );
  const namesAfter = (list: readonly Part[]) => addPart(list, "parts", { id: "sokoban" }).map(nameOfPart);
  expect(parts.map(nameOfPart)).toEqual(["sokoban", "sokoban-2", "sokoban-3"]);
  expect(namesAfter(parts.slice(1))).toEqual(["sokoban-2", "sokoban-3", "sokoban"]);
  expect(namesAfter(parts.toSpliced(1, 1)).at(-1)).toBe("sokoban-2");
  const renamed = parts.slice(0, 2).map((part, i) => ({ ...part, name: i === 0 ? "rooms" : " sokoban " }));
  expect(namesAfter(renamed).at(-1)).toBe("sokoban-2");
});

test("every phase but the last has an end, also when phases are added and removed", () => {
  const phases = ["sokoban", "webshop", "alfworld"].reduce<Part[]>((list, id) => addPart(list, "phases", { id }), []);
  expect(phases.map(({ until }) => until)).toEqual([{ iterations: 50 }, { iterations: 50 }, undefined]);
  expect(removePart(phases, 2).map(({ until }) => until)).toEqual([{ iterations: 50 }, undefined]);
});
