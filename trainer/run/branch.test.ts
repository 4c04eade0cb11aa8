import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { inBoth, isSoak } from "#server/testing/soak.ts";
import { conflictsOf } from "#trainer/spec/conflicts.ts";
import { methodOf } from "#trainer/spec/method.ts";
import { isMeasured } from "#trainer/spec/metric.ts";
import { RunSpec, specHash } from "#trainer/spec/run.ts";
import { trainFrom } from "./beginning.ts";
import { makeCheckpoints } from "./keeping/checkpoints.ts";
import { makeRecorder, type Line } from "./testing/recorder.ts";
import { tinySpec, type Partly } from "./testing/tinySpec.ts";

const home = mkdtempSync(join(tmpdir(), "arlarena-branch-"));
afterAll(() => rmSync(home, { recursive: true }));

let number = 0;

/**
 * Trains a run to its end. Returns its folder, its notes, and every logged value that does not measure time or machine.
 */
async function finish(given: Partly | RunSpec, origins: readonly string[] = []) {
  const spec = RunSpec.parse(given);
  expect(conflictsOf(spec)).toEqual([]);
  const folder = join(home, String(number++));
  const { run, lines, notes } = makeRecorder(folder);
  const checkpoints = makeCheckpoints(join(folder, "checkpoints"), specHash(spec), spec.execution);
  const { folder: _, ...context } = run;
  const outcome = await trainFrom(spec, { ...context, checkpoints }, { attempts: [folder], origins });
  expect(outcome).toMatchObject({ exit: "completed" });
  return { spec, folder, notes, lines: lines.map(reproducible) };
}

type Finished = Awaited<ReturnType<typeof finish>>;

function reproducible({ values, ...line }: Line) {
  return { ...line, values: Object.fromEntries(Object.entries(values).filter(([key]) => !isMeasured(key))) };
}

/** Specification of a branch that begins after the given iteration. */
function branchOf({ spec }: Finished, iteration: number, { seed = 0, ...changed }: Partly = {}): Partly {
  return { ...spec, seed, initialisation: { kind: "branch", run: "one", iteration, origin: spec }, ...changed };
}

const linesAfter = ({ lines }: Finished, iteration: number) =>
  lines.filter((line) => line.iteration > iteration && !("clone/loss" in line.values));

const kept = { checkpointEvery: 10, keep: [1] };
const small = { numGroups: 2, groupSize: 3, historyLength: 1, maxResponseTokens: 12 };
/** Settings under which a training state has every part: a critic, an adaptive KL, two epochs and a stale sampler. */
const rich = {
  rollout: { ...small, lag: { kind: "uniform", max: 2 }, samplerNoise: { sigma: 0.02 } },
  update: { minibatchRows: 8, epochs: 2, klPlacement: "reward", klTarget: 0.05 },
  execution: kept,
};

describe("a branch", () => {
  it("without a change equals its run, from a state that was kept or is computed again", { tags: "soak" }, async () => {
    const origin = await finish(tinySpec(methodOf("ppo"), 3, rich));
    const spec = branchOf(origin, 1);
    const fromKept = await finish(spec, [origin.folder]);
    expect(fromKept.lines).toEqual(linesAfter(origin, 1));
    expect(fromKept.lines).toHaveLength(2);
    const again = await finish(spec);
    expect(again.notes.join()).toContain("no state of one after iteration 1 is kept here: it is computed again");
    expect(again.lines).toEqual(fromKept.lines);
    // A branch of a branch continues the random streams of its own origin.
    const other = await finish(branchOf(origin, 1, { seed: 4 }), [origin.folder]);
    const second = await finish({ ...branchOf(other, 2), seed: 0 });
    expect(second.lines).toEqual(linesAfter(other, 2));
    expect(second.lines).not.toEqual(linesAfter(origin, 2));
  });

  it(
    "with another learning rate acts alike until it has learned, and another continuation acts otherwise at once",
    { tags: "soak" },
    async () => {
      const origin = await finish(tinySpec(methodOf("grpo"), 3, { execution: kept }));
      const at = (finished: Finished, iteration: number, prefix: string) =>
        Object.entries(linesAfter(finished, iteration - 1)[0]?.values ?? {}).filter(([key]) => key.startsWith(prefix));
      const slow = { ...origin.spec.optimizer, learningRate: 1e-5 };
      const changed = await finish(branchOf(origin, 1, { optimizer: slow }), [origin.folder]);
      expect(at(changed, 2, "rollout/").length).toBeGreaterThan(3);
      expect(at(changed, 2, "rollout/")).toEqual(at(origin, 2, "rollout/"));
      expect(at(changed, 2, "policy/")).not.toEqual(at(origin, 2, "policy/"));
      expect(at(changed, 3, "rollout/")).not.toEqual(at(origin, 3, "rollout/"));

      // With learning rate 0, equal evaluations show that all continuations evaluate on the same tasks and random
      // streams.
      const frozen = { optimizer: { ...origin.spec.optimizer, learningRate: 0 } };
      const [zero, one] = [
        await finish(branchOf(origin, 1, frozen), [origin.folder]),
        await finish(branchOf(origin, 1, { ...frozen, seed: 1 }), [origin.folder]),
      ];
      expect(at(one, 2, "rollout/")).not.toEqual(at(zero, 2, "rollout/"));
      expect(at(one, 2, "evaluation/")).toEqual(at(zero, 2, "evaluation/"));
    },
  );

  it("may need what its origin lacks: a critic, older versions, another KL coefficient", async () => {
    const origin = await finish(tinySpec(methodOf("grpo"), 2, { execution: kept }));
    const changed = branchOf(origin, 1, {
      method: methodOf("ppo"),
      rollout: { ...small, lag: { kind: "constant", k: 2 } },
      update: { ...origin.spec.update, klPlacement: "reward", klCoef: 0.5 },
    });
    const { notes, lines } = await finish(changed, [origin.folder]);
    expect(notes.join()).toContain("the origin has no critic");
    expect(lines).toHaveLength(1);
    expect(lines[0]?.values).toMatchObject({ "update/klCoef": 0.5 });
    expect(lines[0]?.values).toHaveProperty("critic/loss");
  });

  it("is refused where the policy does not fit, with the field and the remedy", async () => {
    const origin = await finish(tinySpec(methodOf("grpo"), 1, { execution: { checkpointEvery: 1 } }));
    const refusals = (changed: Partly) =>
      conflictsOf(RunSpec.parse(branchOf(origin, 1, changed))).map(({ path, message }) => `${path}: ${message}`);
    expect(refusals({ budget: { iterations: 2 } })).toEqual([]);
    expect(refusals({})).toEqual([
      "budget.iterations: the branch ends at iteration 1, must end after iteration 1: its origin's iterations count as well",
    ]);
    expect(refusals({ budget: { iterations: 2 }, policy: { size: "micro", positions: "rotary" } })).toEqual([
      'policy.size: is "micro", but the policy of one has "nano": set it to "nano", or start without that run',
      'policy.positions: is "rotary", but the policy of one has null: set it to null, or start without that run',
    ]);
    const initialisation = { kind: "branch", run: "one", iteration: 4, origin: origin.spec };
    expect(refusals({ budget: { iterations: 5 }, initialisation })).toEqual([
      "initialisation.iteration: is 4, must be at most 1, the number of iterations of one",
    ]);
    const begin = (environment: Partly) =>
      finish(branchOf(origin, 1, { budget: { iterations: 2 }, environment }), [origin.folder]);
    await expect(begin({ id: "sokoban", size: 8, numBoxes: 2 })).rejects.toThrow(
      /^environment: a prompt and its response take up to \d+ tokens, but the policy was trained with \d+ positions; shorten rollout.historyLength/,
    );
    await expect(begin({ id: "webshop" })).rejects.toThrow(
      /^environment: the policy's vocabulary lacks .* more; train the policy with this environment in evaluation.elsewhere/,
    );
  });
});

it(
  "a start from a run has its policy, and a new optimizer, reference and count of iterations",
  { tags: "soak" },
  async () => {
    const evaluation = { every: 2, numEpisodes: 6, temperature: 0 };
    const origin = await finish(tinySpec(methodOf("grpo"), 2, { evaluation }));
    const initialisation = { kind: "run", run: "one", iteration: 2, origin: origin.spec };
    const started = await finish({ ...origin.spec, method: methodOf("cispo"), initialisation });
    const evaluated = ({ lines }: Finished, i: number) =>
      Object.entries(lines.at(i)?.values ?? {}).filter(([key]) => key.startsWith("evaluation/"));
    expect(started.lines.map(({ iteration, optimizerStep }) => [iteration, optimizerStep > 0])).toEqual([
      [0, false],
      [1, true],
      [2, true],
    ]);
    // Evaluations are greedy, so the origin's last policy and this run's first policy play identically.
    expect(evaluated(started, 0)).toEqual(evaluated(origin, -1));
    const klOf = (line: Line | undefined): number => line?.values["policy/klReference"] ?? NaN;
    expect(klOf(started.lines[1])).toBeLessThan(klOf(origin.lines.at(-1)));
    const keeping = { ...initialisation, reference: "origin" };
    const kept = await finish({ ...origin.spec, method: methodOf("cispo"), initialisation: keeping });
    expect(evaluated(kept, 0)).toEqual(evaluated(origin, -1));
    // One update hardly moves the policy from its start, so the origin's reference policy is further away than the
    // start.
    expect(klOf(kept.lines[1])).toBeGreaterThan(2 * klOf(started.lines[1]));
  },
);

const environments = [
  { id: "sokoban", maxTurns: 3 },
  { id: "alfworld", maxTurns: 3 },
  { id: "webshop", maxTurns: 3 },
  { id: "textworld", maxTurns: 3 },
  { id: "tirMath", maxTurns: 2 },
  { id: "sweGym", maxTurns: 2 },
];
const methods = ["grpo", "ppo", "gigpo", "sapo", "cispo", "gspo", "dapoGigpo"] as const;

describe("an unchanged branch equals its run", () => {
  const each = environments.flatMap((environment) => methods.map((method) => ({ environment, method })));
  const rollout = { numGroups: 2, groupSize: 2, historyLength: 1, maxResponseTokens: 24 };
  const few = {
    initialisation: { kind: "demonstrations", numEpisodes: 6, epochs: 1 },
    evaluation: { every: 2, numEpisodes: 2 },
    execution: { checkpointEvery: 1, keep: { every: 1 } },
  };
  // `npm run soak` covers every method and every environment; ARLARENA_ALL_BRANCHES adds all 42 pairs.
  const diagonal = each.filter((_, i) => Math.floor(i / methods.length) === (i % methods.length) % environments.length);
  const chosen = process.env["ARLARENA_ALL_BRANCHES"] === undefined ? diagonal : each;
  it.each(isSoak ? chosen : each.slice(2, 3))(
    "in $environment.id by $method, after each iteration",
    { tags: inBoth, timeout: 1_200_000 },
    async ({ environment, method }) => {
      const origin = await finish(tinySpec(methodOf(method), 4, { environment, rollout, ...few }));
      // In these two environments, running the programs takes seconds.
      const hasPrograms = environment.id === "tirMath" || environment.id === "sweGym";
      for (const iteration of hasPrograms ? [2] : [1, 2, 3]) {
        const branch = await finish(branchOf(origin, iteration), [origin.folder]);
        expect(branch.lines).toEqual(linesAfter(origin, iteration));
      }
    },
  );
});
