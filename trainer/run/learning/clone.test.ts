import { expect, test } from "vitest";
import { makeTaskFamily } from "#trainer/environments/episode.ts";
import { methodOf } from "#trainer/spec/method.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { demonstrate } from "./clone.ts";

const family = await makeTaskFamily({
  id: "sokoban",
  size: 6,
  numBoxes: 1,
  searchDepth: 30,
  maxTurns: 8,
  reward: "sparse",
});
const encode = { shape: "windowed", prompt: toCodes, response: toCodes } as const;

function toCodes(text: string): Int32Array {
  return Int32Array.from(text, (character) => character.charCodeAt(0));
}

async function responsesWith(slipRate: number): Promise<string[]> {
  const spec = RunSpec.parse({
    v: 1,
    seed: 3,
    environment: { id: "sokoban" },
    method: methodOf("grpo"),
    initialisation: { kind: "demonstrations", numEpisodes: 60, slipRate },
    rollout: { historyLength: 0 },
  });
  const rows = await demonstrate({ spec, family, encode }, 60, () => {});
  return rows.map((row) => String.fromCharCode(...row.response));
}

/** Fraction of each action among the given responses. */
function actionShares(responses: readonly string[]): Map<string, number> {
  const shares = new Map<string, number>();
  for (const text of responses) {
    const action = /<action>\s*(\S+)\s*<\/action>/.exec(text)?.[1] ?? "none";
    shares.set(action, (shares.get(action) ?? 0) + 1 / responses.length);
  }
  return shares;
}

test("slips make demonstrations longer: the mean solution has four moves, eight turns are the limit", async () => {
  const all = await Promise.all([0, 0.5, 1].map(responsesWith));
  const [clean, halved, random] = all.map((responses) => responses.length / 60);
  expect(clean).toBeGreaterThan(3);
  expect(clean).toBeLessThan(5);
  expect(halved).toBeGreaterThan((clean ?? NaN) + 0.5);
  expect(random).toBeGreaterThan((halved ?? NaN) + 0.5);
});

test("a demonstrator that always slips moves at random", async () => {
  const shares = actionShares(await responsesWith(1));
  expect([...shares.keys()].toSorted()).toEqual(["down", "left", "right", "up"]);
  for (const share of shares.values()) expect(Math.abs(share - 0.25)).toBeLessThan(0.07);
});

test("demonstrations do not depend on how often they are asked for", async () => {
  expect(await responsesWith(0.5)).toEqual(await responsesWith(0.5));
});
