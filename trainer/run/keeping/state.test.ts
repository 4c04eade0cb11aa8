import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import type { PolicyConfig } from "#trainer/policy/config.ts";
import { makeParameters, type Parameters } from "#trainer/policy/parameters.ts";
import { makeEngine } from "#trainer/run/learning/learner.ts";
import { tinySpec } from "#trainer/run/testing/tinySpec.ts";
import { methodOf } from "#trainer/spec/method.ts";
import { split } from "#trainer/spec/rng.ts";
import { makeCheckpoints } from "./checkpoints.ts";
import { beginState, restoreState, takeSnapshot } from "./state.ts";

const folder = mkdtempSync(join(tmpdir(), "arlarena-state-"));
afterAll(() => rmSync(folder, { recursive: true }));
const config: PolicyConfig = { size: "nano", vocabularySize: 20, contextTokens: 8, positions: "learned" };

/** The parameters as bytes, whose comparison is faster than vitest's number by number. */
function bytesOf(parameters: Parameters = {}): Buffer {
  return Buffer.concat(Object.values(parameters).map((values) => Buffer.from(values.slice().buffer)));
}

it("a checkpoint holds every version of the policy that may still write an episode, and no other", async () => {
  const rollout = { numGroups: 2, groupSize: 3, lag: { kind: "uniform", max: 2 }, samplerPrecision: "fp8-e4m3" };
  const spec = tinySpec(methodOf("grpo"), 9, { rollout });
  const parts = { spec, config, engine: makeEngine(config, spec, {}) };
  const policyOf = (version: number) => ({ ...makeParameters(config, split(version, "policy")) });
  const { store } = parts.engine;
  const state = await beginState(parts, policyOf(0));
  for (const version of [1, 2, 3, 4, 5]) {
    Object.assign(state.parameters, policyOf(version));
    state.iteration = version;
    state.versions?.keep(version, await store.read(state.parameters));
  }
  const checkpoints = makeCheckpoints(folder, "hash");
  checkpoints.save(await takeSnapshot(state, config, store));
  const { snapshot } = checkpoints.latest();
  if (!snapshot) throw new Error("no checkpoint");
  const { versions } = await restoreState(parts, snapshot);
  expect([versions?.oldest(), versions?.newest()]).toEqual([3, 5]);
  for (const version of [3, 4, 5]) {
    expect(bytesOf(versions?.exact(version)).equals(bytesOf(policyOf(version)))).toBe(true);
    expect(bytesOf(versions?.rounded(version)).equals(bytesOf(state.versions?.rounded(version)))).toBe(true);
  }
  expect(bytesOf(versions?.exact(3)).length).toBeGreaterThan(4e5);
  expect(() => versions?.exact(2)).toThrow("policy version 2 is not kept: there are 3, 4, 5");
});
