import { expect, it } from "vitest";
import { parsePlan } from "#server/domain/plan/sweep/plan.ts";
import { guessRuns } from "./AskToAdd.tsx";
import { prepareAdded } from "./prepareAdded.ts";
import { tellNeeded } from "./tellNeeded.ts";
import { listOpenAdded, formatAdded, describeSeeds } from "./prepareSeeds.ts";

const plan = parsePlan("name: Two\nmethods: [grpo, gspo]\nenvironments: [{ id: sokoban }]\nseeds: [0, 1]\n");
const cells = [
  { id: 7, index: 0 },
  { id: 8, index: 1 },
];
const minute = 60_000;
const run = (cellId: number, seed: number, minutes: number | null) => ({
  cellId,
  seed,
  status: minutes === null ? ("pending" as const) : ("finished" as const),
  startedAt: minutes === null ? null : new Date(0),
  endedAt: minutes === null ? null : new Date(minutes * minute),
  addedAt: null,
});
const finished = [run(7, 0, 2), run(7, 1, 4), run(8, 0, 8), run(8, 1, 8)];

it("says which runs a new seed launches, and their time as its configurations took so far", () => {
  expect(prepareAdded({ grid: { cells, runs: finished }, plan, slots: 1 }, 1)).toEqual({
    numRuns: 2,
    runs: "2 runs",
    seeds: "seed 2",
    slotMs: 11 * minute,
    time: "about 11 min on 1 slot, estimated from the runs so far",
  });
  // The estimate is never shorter than the longest run.
  expect(prepareAdded({ grid: { cells, runs: finished }, plan, slots: 8 }, 1).time).toMatch(/^about 8 min on 8 slots/);
});

it("counts holes with the new seed, and guesses from the plan where nothing has finished", () => {
  const runs = [run(7, 0, null), run(7, 1, null), run(8, 0, null)];
  const { runs: said, seeds, time } = prepareAdded({ grid: { cells, runs }, plan, slots: 2, guess: guessRuns }, 1);
  expect([said, seeds]).toEqual(["3 runs", "seeds 1 and 2"]);
  expect(time).toMatch(/ on 2 slots, estimated from the plan$/);
});

it("takes back what was added and is not over", () => {
  const added = [run(7, 2, null), run(8, 2, 1)].map((one) => ({ ...one, addedAt: new Date(0) }));
  expect(listOpenAdded([...finished, ...added])).toEqual([added[0]]);
});

it("says where the plan and the runs differ", () => {
  const runs = finished.map(({ seed }) => ({ seed, addedAt: null }));
  expect(formatAdded(plan, runs)).toBe("Plan frozen at launch with seeds 0 and 1");
  const added = [7, 8].map(() => ({ seed: 2, addedAt: new Date(0) }));
  expect(formatAdded(plan, [...runs, ...added])).toBe(
    "Plan frozen at launch with seeds 0 and 1; 2 runs of seed 2 added since",
  );
});

it("lists seeds in order and once", () => {
  expect([describeSeeds([3]), describeSeeds([4, 3, 3]), describeSeeds([2, 0, 1])]).toEqual([
    "seed 3",
    "seeds 3 and 4",
    "seeds 0, 1 and 2",
  ]);
});

it.each([
  [
    ["GRPO", "SAPO"],
    { n: 5, difference: 0.04, atObserved: 31, atTenPoints: 9 },
    "To decide between GRPO and SAPO with power 80 %, the observed difference needs 31 seeds each, one of 10 points 9; there are 5.",
  ],
  [
    [],
    { n: 7.5, difference: 0, atObserved: null },
    "To decide with power 80 %, the observed difference needs more than 1,000 runs in each group; there are 7.",
  ],
])("says the seeds that decide %j", (names, needed, said) => {
  expect(tellNeeded(names, needed)).toBe(said);
});
