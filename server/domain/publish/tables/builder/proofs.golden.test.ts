import { expect, it } from "vitest";
import { contentHash } from "#trainer/spec/canonical.ts";
import type { Curve } from "#packages/statistics";
import { proofText, tableCode } from "../proof.ts";
import { build, buildLong, join, make, success } from "../testing/builderInput.ts";
import { fromProved, type TableOptions } from "./options.ts";

const keys = [success, "policy/entropy", "update/gradientNorm", "taskSuccess/easy", "taskSuccess/hard"];

/** Makes an irregular curve with a point before training and occasional non-finite values. */
function curve(cell: number, seed: number, place: number): Curve {
  const length = 20 + ((cell + seed) % 3) * 17;
  const values = Float64Array.from({ length }, (_, i) => {
    if ((i * 7 + seed * 3 + cell + place) % 41 === 0) return [NaN, Infinity, -Infinity][(i + seed) % 3] ?? NaN;
    return 0.4 + 0.05 * cell + 0.3 * Math.sin(1 + i * 0.37 + seed * 1.7 + cell * 0.9 + place);
  });
  return { iterations: Int32Array.from({ length }, (_, i) => i * 5), values };
}

const seeds = Array.from({ length: 11 }, (_, i) => i);
const curves = (cell: number, seed: number) =>
  new Map(keys.flatMap((key, place) => ((cell + seed) % 13 === 12 ? [] : [[key, curve(cell, seed, place)] as const])));
const environments = [{ id: "sokoban" }, { id: "alfworld" }];
const input = join(
  make({
    environments,
    seeds,
    change: (cell, seed) => ({
      curves: curves(cell, seed),
      collapse: { hasCollapsed: cell < 4 && (cell + seed) % 4 === 0 },
      ...(seed === 3 && { status: "failed", reason: "out_of_memory", iteration: 40 }),
    }),
  }),
  make({
    id: "t",
    name: "More",
    environments,
    methods: ["grpo", "sapo"],
    seeds: [3, 11, 12],
    axes: { "update.epochs": [1, 2] },
    change: (cell, seed) => ({ curves: curves(cell + 2, seed + 1) }),
  }),
);

const asked: Record<string, TableOptions> = {
  plain: {},
  many: { metrics: keys.slice(0, 3), interval: "bootstrap", test: "welch", change: "points", average: true },
  tasks: { tasks: true, rule: "best", interval: "t", collapse: "marks", group: "update.epochs" },
  last: { rule: "last", test: "mannWhitney", change: "relative", interval: "sem", group: "none", baseline: "SAMPO" },
  some: { test: "permutation", without: ["GSPO"], withoutEnvironments: ["ALFWorld"], interval: "none", group: "sweep" },
  few: { interval: "bootstrap", test: "none", without: ["SAMPO"] },
};

it("gives the same numbers as when its proofs were first given", () => {
  const hashes = Object.entries(asked).map(([name, options]) => {
    // These proofs omit the spread, since the standard deviation was then the default.
    const query = { kind: "built", sweepIds: ["s", "t"], options } as const;
    const proof = contentHash(proofText(query, build(input, fromProved(options))));
    return [name, proof, contentHash(buildLong(input, options))].join(" ");
  });
  // A changed hash means that earlier tables can no longer be verified: increment tableCode with it.
  expect([tableCode, ...hashes]).toMatchInlineSnapshot(`
    [
      "tables-11",
      "plain 9c390a3e9ffd0e24 84beff7aca27ca5c",
      "many 48db95dbbc092daa c7681d7f176daa9f",
      "tasks 2f1a0f3a078b3a7c 35c3af1a0669a233",
      "last 513d38e05590a9c4 84beff7aca27ca5c",
      "some 0c85c0a5a6d68a94 d34c5b28394103a0",
      "few d2c66281374b31d2 64d0de6325a88e68",
    ]
  `);
});
