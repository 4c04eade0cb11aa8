// @module-tag soak
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";
import { expect, it } from "vitest";
import { unpackLines } from "#packages/base";
import { split, type Rng } from "#trainer/spec/rng.ts";
import { parseEvent, readEventLines, settle } from "#packages/trainers";
import { causesOnly } from "./evaluation/rules.ts";
import { makeDetector, toEffective } from "./detector.ts";
import { lookBack } from "./label/hindsight.ts";
import { withRates } from "./online.ts";
import { annotations, relevantKeys, withChanges, type Point } from "./signals/point.ts";
import { developmentFamilies, generateRun, heldOutFamilies, syntheticSize } from "./testing/generate.ts";
import { findRules } from "./versions.ts";
import { shippedConfig } from "./config.ts";

/**
 * Hashes of the detector's exact results on real and synthetic runs, which optimisations of the code must not change.
 * Each run has one hash over all readings and events, and over the state at every 20th step and at the end. It covers
 * the third rules, their causes-only variant, and the evaluation of every alarm rule. The current rules have hashes too.
 */
const effective = toEffective(syntheticSize);
const thirdRules = findRules("rules-3-d3d26ca3").config;
const families = [...developmentFamilies, ...heldOutFamilies];

it("says of recorded runs what it said of them before, to the last bit", async () => {
  const said = ["table3-sokoban", "table3-webshop", "table3-alfworld"].flatMap((name) =>
    readStudy(name).map((points, i) => `${name} ${i} ${hashOf(points)}`),
  );
  expect(said).toHaveLength(90);
  await expect(`${said.join("\n")}\n`).toMatchFileSnapshot("recordedVerdicts.golden.txt");
});

it("says of made-up runs what it said of them before, to the last bit", async () => {
  const said = families.flatMap((family) => [
    `${family} ${hashOf(generateRun(family, "verdict").points)}`,
    `${family}, held-out success alone ${hashOf(generateRun(family, "verdict sparse", { successEvery: 5 }).points)}`,
    `${family}, both successes ${hashOf(generateRun(family, "verdict both", { heldOutEvery: 10 }).points)}`,
  ]);
  await expect(`${said.join("\n")}\n`).toMatchFileSnapshot("syntheticVerdicts.golden.txt");
});

it("says of points of any kind what it said of them before, to the last bit", async () => {
  const said = Array.from({ length: 60 }, (_, i) => `${i} ${hashOf(anyPoints(split(i, "any points")))}`);
  await expect(`${said.join("\n")}\n`).toMatchFileSnapshot("anyVerdicts.golden.txt");
});

it("says by the current rules what it said before, to the last bit", async () => {
  const made = families.flatMap((family) =>
    [20, 48, 200].map((length) => {
      const { points } = generateRun(family, "verdict", { length, klPower: 1 });
      return `${family}, ${length} steps ${hashOf(points, shippedConfig)}`;
    }),
  );
  const recorded = ["table3-sokoban", "table3-webshop", "table3-alfworld"].flatMap((name) =>
    readStudy(name).map((points, i) => `${name} ${i} ${hashOf(points, shippedConfig)}`),
  );
  await expect(`${[...made, ...recorded].join("\n")}\n`).toMatchFileSnapshot("currentVerdicts.golden.txt");
});

/** Hash by these rules. All but the third know the length of the run. */
function hashOf(points: readonly Point[], rules = thirdRules): string {
  const sized = rules === thirdRules ? effective : { ...effective, iterations: points.length };
  const hash = createHash("sha256");
  const add = (data: unknown) => hash.update(JSON.stringify(data, exactly));
  for (const config of [rules, causesOnly(rules)]) {
    const detector = makeDetector(sized, config);
    let state = detector.start();
    for (const [i, point] of points.entries()) {
      const taken = detector.next(state, point);
      state = taken.state;
      add([taken.reading ?? null, taken.events]);
      if (i % 20 === 19) add(state);
    }
    add(state);
  }
  const { label, judgements } = lookBack(points, { effective: sized, hasDiverged: false, config: rules });
  // Two later additions are not hashed: the size of a fall, and the label `notJudged` for runs without success.
  const { fall: _, ...known } = label;
  add({ label: { ...known, kind: known.kind === "notJudged" ? "healthy" : known.kind }, judgements });
  return hash.digest("hex").slice(0, 16);
}

/** Writes numbers that JSON cannot represent (NaN, infinities, −0) as text. */
function exactly(_: string, value: unknown): unknown {
  if (typeof value !== "number") return value;
  return Number.isFinite(value) && !Object.is(value, -0) ? value : Object.is(value, -0) ? "-0" : String(value);
}

/** Reads the points of each run in a recorded study. */
function readStudy(name: string): (readonly Point[])[] {
  const file = fileURLToPath(new URL(`../../studies/${name}.arlarena`, import.meta.url));
  const bytes = readFileSync(file);
  const lines = brotliDecompressSync(bytes.subarray(bytes.indexOf("\n") + 1)).toString();
  const runs: string[][] = [];
  for (const line of lines.split("\n")) {
    if (line.startsWith('{"type":"run"')) runs.push([]);
    else if (line.startsWith('{"texts":')) runs.at(-1)?.push(...unpackLines(JSON.parse(line), 1e8));
  }
  return runs.map((log) => withRates(readPoints(log)));
}

function readPoints(log: readonly string[]): readonly Point[] {
  const events = log.flatMap((line) => parseEvent(line) ?? []);
  const changes = events.flatMap((event) => (event.type === "event" ? [event.iteration] : []));
  const { steps } = settle(readEventLines(events));
  return withChanges(
    steps.map(({ step, values }) => ({ iteration: step, values })),
    changes,
  );
}

// The hashes were made before the annotation "data" existed.
const oldAnnotations = annotations.filter((annotation) => annotation !== "data");
const special = [NaN, Infinity, -Infinity, 0, -0, 1, -1, 1e300, 1e-300, Number.MAX_VALUE];

/** Random walks with jumps, ties, gaps, non-finite values and intended changes. Some runs log only a reward. */
function anyPoints(rng: Rng): Point[] {
  const keys = relevantKeys.filter(() => rng.next() < 0.8);
  const gap = 0.5 * rng.next() ** 2;
  const oddity = 0.05 * rng.next() ** 3;
  const step = 0.2 * rng.next();
  const digits = 1 + rng.int(15);
  const level = new Map(keys.map((key) => [key, rng.next() * (rng.next() < 0.2 ? 100 : 1)]));
  return Array.from({ length: 30 + rng.int(170) }, (_, iteration) => {
    const values: Record<string, number> = {};
    for (const key of keys) {
      const jump = rng.next() < 0.01 ? rng.normal() * 3 : 0;
      const next = (level.get(key) ?? 0) * (1 + step * 0.3 * rng.normal()) + jump;
      level.set(key, key.endsWith("Rate") ? Math.min(1, Math.max(0, next)) : next);
      if (rng.next() < gap) continue;
      const odd = rng.next() < oddity ? special[rng.int(special.length)] : undefined;
      values[key] = odd ?? Number((level.get(key) ?? 0).toPrecision(digits));
    }
    const changed = oldAnnotations.filter(() => rng.next() < 0.003);
    return { iteration: iteration * 2, values, ...(changed.length > 0 && { annotations: changed }) };
  });
}
