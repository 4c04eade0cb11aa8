import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { makeTaskFamily } from "#trainer/environments/episode.ts";
import { conflictsOf } from "#trainer/spec/conflicts.ts";
import { EnvironmentSpec, taskSeeds } from "#trainer/spec/environment.ts";
import { methodOf, type MethodName } from "#trainer/spec/method.ts";
import { describeMetric, isMeasured } from "#trainer/spec/metric.ts";
import { RunSpec, specHash } from "#trainer/spec/run.ts";
import { trainFrom } from "./beginning.ts";
import { makeCheckpoints, type Snapshot } from "./keeping/checkpoints.ts";
import { makeRecorder, type Line } from "./testing/recorder.ts";
import { tinySpec, type Partly } from "./testing/tinySpec.ts";
import { train } from "./train.ts";

const home = mkdtempSync(join(tmpdir(), "arlarena-parts-"));
afterAll(() => rmSync(home, { recursive: true }));

const easy = { id: "sokoban", maxTurns: 3, searchDepth: 20 };
const hard = { id: "sokoban", maxTurns: 3, numBoxes: 2 };
const shop = { id: "webshop", maxTurns: 2 };
const windowed = { shape: "windowed", numGroups: 6, groupSize: 2, historyLength: 1, maxResponseTokens: 12 };

const specOf = (environment: Partly, iterations: number, { method = "grpo", ...more }: Partly = {}): RunSpec =>
  tinySpec(methodOf(isName(method) ? method : "grpo"), iterations, {
    environment,
    initialisation: { kind: "demonstrations", numEpisodes: 8, epochs: 1 },
    ...more,
  });

function isName(name: unknown): name is MethodName {
  return name === "grpo" || name === "ppo";
}

let number = 0;

/** Trains a run. Returns its folder, notes, snapshots, and every logged value that does not measure time or machine. */
async function finish(
  given: Partly | RunSpec,
  { origins = [], ...more }: { origins?: string[]; resumed?: Snapshot } = {},
) {
  const spec = RunSpec.parse(given);
  expect(conflictsOf(spec)).toEqual([]);
  const folder = join(home, String(number++));
  const { run, lines, notes } = makeRecorder(folder);
  const kept = makeCheckpoints(join(folder, "checkpoints"), specHash(spec), spec.execution);
  const snapshots: Snapshot[] = [];
  const checkpoints = {
    ...kept,
    save: (snapshot: Snapshot) => {
      snapshots.push(snapshot);
      kept.save(snapshot);
    },
  };
  const { folder: _, ...context } = run;
  const resumed = more.resumed && { resumed: { snapshot: more.resumed, from: "before" } };
  const outcome = await trainFrom(spec, { ...context, checkpoints, ...resumed }, { attempts: [folder], origins });
  expect(outcome).toMatchObject({ exit: "completed" });
  return {
    spec,
    folder,
    snapshots,
    lines: lines.map(reproducible),
    switches: notes.filter((note) => /^\d+: /.test(note)),
  };
}

function reproducible({ values, ...line }: Line) {
  return { ...line, values: Object.fromEntries(Object.entries(values).filter(([key]) => !isMeasured(key))) };
}

const after = ({ lines }: { lines: readonly Line[] }, iteration: number) =>
  lines.filter((line) => line.iteration > iteration && !("clone/loss" in line.values));

const keysOf = (line: Line | undefined, pattern: RegExp): string[] =>
  Object.keys(line?.values ?? {}).filter((key) => pattern.test(key));

describe("a mixture", () => {
  const mixture = { id: "mixture", parts: [{ name: "easy", weight: 3, environment: easy }, { environment: shop }] };

  it("has its parts by their weights, in panels of consecutive seeds and among random ones", async () => {
    const family = await makeTaskFamily(EnvironmentSpec.parse(mixture));
    const share = (seeds: readonly number[]): number =>
      seeds.filter((seed) => family.partOf?.(seed).name === "easy").length / seeds.length;
    const panel = (from: number, length: number) => Array.from({ length }, (_, i) => from + i);
    expect(share(panel(taskSeeds.seen.from, 64))).toBeCloseTo(0.75, 1);
    expect(share(panel(taskSeeds.train.from, 2 ** 16))).toBeCloseTo(0.75, 4);
    // Multiples of 7919 (mod 2¹⁶) stand for seeds that are not consecutive.
    expect(share(panel(0, 9000).map((i) => (i * 7919) % 2 ** 16))).toBeCloseTo(0.75, 2);
    expect(family.start(5).task()).toBe(family.partOf?.(5).family.start(5).task());
  });

  it("trains, evaluates and describes every part, and its total is their mean by episodes", async () => {
    const { lines } = await finish(
      specOf(mixture, 2, { rollout: windowed, evaluation: { every: 1, numEpisodes: 16 }, method: "ppo" }),
    );
    for (const line of after({ lines }, 0)) {
      expect(keysOf(line, /^evaluation\/in\//).toSorted()).toEqual([
        "evaluation/in/easy/successRate",
        "evaluation/in/easy/turns",
        "evaluation/in/webshop/score",
        "evaluation/in/webshop/successRate",
        "evaluation/in/webshop/turns",
      ]);
      const of = (key: string): number => line.values[key] ?? NaN;
      // Tasks 0 to 15 are 13 of the part "easy" and 3 of the part "webshop".
      const sum = 13 * of("evaluation/in/easy/turns") + 3 * of("evaluation/in/webshop/turns");
      expect(of("evaluation/episodeTurns")).toBeCloseTo(sum / 16, 10);
      expect(keysOf(line, /\/in\//).filter((key) => describeMetric(key).title === key)).toEqual([]);
      expect(Object.values(line.values).every(Number.isFinite)).toBe(true);
    }
    expect(describeMetric("rollout/in/easy/successRate").title).toContain("in easy");
  });
});

describe("a curriculum", () => {
  const phases = (until: Partly) => ({
    id: "curriculum",
    phases: [
      { name: "easy", environment: easy, until },
      { name: "hard", environment: hard },
    ],
  });
  const every = { execution: { checkpointEvery: 1, keep: { every: 1 } } };

  it("switches after its iterations and is evaluated in every phase, the last one being its own", async () => {
    const { lines, switches } = await finish(specOf(phases({ iterations: 2 }), 4));
    expect(switches).toEqual(["3: phase hard (2 of 2) begins: easy had 2 iterations"]);
    const trained = after({ lines }, 0);
    expect(trained.map((line) => keysOf(line, /^rollout\/in\/.*successRate/))).toEqual([
      ["rollout/in/easy/successRate"],
      ["rollout/in/easy/successRate"],
      ["rollout/in/hard/successRate"],
      ["rollout/in/hard/successRate"],
    ]);
    for (const { values } of trained) {
      expect(values["evaluation/in/hard/successRate"]).toBe(values["evaluation/successRate"]);
      expect(values).toHaveProperty("evaluation/in/easy/successRate");
    }
  });

  it("plays its first phase as a run in that environment alone, and its last like a branch to it", async () => {
    const both = await finish(specOf(phases({ iterations: 2 }), 3, every));
    const elsewhere = [{ name: "hard", environment: hard }];
    const evaluation = { every: 1, numEpisodes: 4, elsewhere };
    const alone = await finish(specOf(easy, 2, { ...every, evaluation }));
    const learned = ({ values }: Line) =>
      Object.entries(values).filter(([key]) => /^(rollout|policy|loss|update)\//.test(key) && !key.includes("/in/"));
    expect(after(both, 0).slice(0, 2).map(learned)).toEqual(after(alone, 0).map(learned));
    const initialisation = { kind: "branch", run: "one", iteration: 2, origin: alone.spec };
    const branch = await finish(
      { ...alone.spec, seed: 0, environment: hard, initialisation, budget: { iterations: 3 } },
      { origins: [alone.folder] },
    );
    expect(after(both, 2).map(learned)).toEqual(after(branch, 2).map(learned));
  });

  it(
    "resumed or branched in each phase, from a kept or recomputed state, equals the uninterrupted run",
    { tags: "soak" },
    async () => {
      for (const until of [{ iterations: 2 }, { success: 0 }]) {
        const evaluation = { every: 2, numEpisodes: 4 };
        const spec = specOf(phases(until), 4, { ...every, evaluation });
        const whole = await finish(spec);
        expect(whole.switches).toHaveLength(1);
        for (const iteration of [1, 2, 3]) {
          const resumed = whole.snapshots.find((snapshot) => snapshot.iteration === iteration);
          if (!resumed) throw new Error(`no snapshot of iteration ${iteration}`);
          expect(after(await finish(spec, { resumed }), iteration)).toEqual(after(whole, iteration));
          const initialisation = { kind: "branch", run: "one", iteration, origin: spec };
          const branch = { ...spec, seed: 0, initialisation };
          const kept = await finish(branch, { origins: [whole.folder] });
          expect(after(kept, iteration)).toEqual(after(whole, iteration));
          if (iteration === 3) expect(after(await finish(branch), iteration)).toEqual(after(whole, iteration));
        }
      }
    },
  );

  it("ends a phase by its success at a regular evaluation, the first one included", async () => {
    const atOnce = await finish(specOf(phases({ success: 0 }), 2));
    expect(atOnce.switches).toEqual(["1: phase hard (2 of 2) begins: easy has a success rate of 0, at least 0"]);
    const never = await finish(specOf(phases({ success: 1 }), 2));
    expect(never.switches).toEqual([]);
    expect(keysOf(after(never, 1)[0], /^rollout\/in\/easy/)).not.toEqual([]);
  });

  it("of a changed branch continues the phase where its environment is the same", async () => {
    const origin = await finish(specOf(phases({ iterations: 1 }), 3, every));
    const branchAt = (iteration: number, environment: Partly) =>
      finish(
        {
          ...origin.spec,
          seed: 0,
          environment,
          budget: { iterations: 4 },
          initialisation: { kind: "branch", run: "one", iteration, origin: origin.spec },
        },
        { origins: [origin.folder] },
      );
    const later = await branchAt(0, phases({ iterations: 2 }));
    expect(later.switches).toEqual(["3: phase hard (2 of 2) begins: easy had 2 iterations"]);
    expect((await branchAt(2, phases({ iterations: 3 }))).switches).toEqual([]);
    const turned = {
      id: "curriculum",
      phases: [
        { name: "hard", environment: hard, until: { iterations: 1 } },
        { name: "easy", environment: easy },
      ],
    };
    expect((await branchAt(2, turned)).switches).toEqual(["4: phase easy (2 of 2) begins: hard had 1 iterations"]);
  });
});

it("a run in one environment logs and stores nothing of parts and phases", async () => {
  const { run, lines } = makeRecorder(home);
  let scalars: string[] = [];
  const checkpoints = {
    ...run.checkpoints,
    save: (snapshot: Snapshot) => void (scalars = Object.keys(snapshot.scalars)),
  };
  await train(specOf(easy, 1), { ...run, checkpoints });
  expect(lines.flatMap(({ values }) => Object.keys(values)).filter((key) => key.includes("/in/"))).toEqual([]);
  expect(scalars).toEqual(["optimizerStep", "skippedInARow", "klCoef", "optimizer.t"]);
});
