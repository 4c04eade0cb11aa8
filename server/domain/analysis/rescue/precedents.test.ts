import { expect, it } from "vitest";
import { type Rng, split } from "#trainer/spec/rng.ts";
import { citePrecedents, type Precedent } from "./precedents.ts";
import { nothing } from "./rescueArms.ts";
import { inBoth, isSoak } from "#server/testing/soak.ts";

const arms = ["mask", "minibatch", "learning rate", "KL", "clip", "GSPO's ratio", "dynamic sampling"];
const none = "No change can be recommended yet, because too few branches of similar runs have tried one.";

/** Makes branches of runs `r0`, `r1`, … with continuations from 1. */
const branches = (arm: string, runs: readonly (readonly Precedent["outcome"][])[]): Precedent[] =>
  runs.flatMap((own, r) =>
    own.map((outcome, i): Precedent => {
      return { sweepId: "s", origin: `r${r}`, iteration: 20, arm, continuation: i + 1, outcome, differences: [] };
    }),
  );
const list = <Value>(length: number, make: (i: number) => Value): Value[] => Array.from({ length }, (_, i) => make(i));
const times = (length: number, outcome: Precedent["outcome"]) => list(length, () => outcome);

it("names no change by a few lucky branches, and says what would decide it", () => {
  expect(citePrecedents([])).toBe("");
  expect(citePrecedents(branches("mask", [times(5, "kept")]))).toBe(none);
  // Fisher's p is .44: 5 of 5 kept, and 3 of 4 unchanged.
  const lucky = [
    ...branches("minibatch", [times(2, "kept"), times(3, "kept")]),
    ...branches(nothing, [["kept", "collapsed"], times(2, "kept")]),
  ];
  expect(citePrecedents(lucky)).toBe(
    "No change is shown to prevent a collapse: 1 change was tried in 9 branches of similar runs. A test needs branches of 1 more such run, begun before its collapse.",
  );
  const more = [...lucky, ...branches("minibatch", [[], [], ["kept"]]), ...branches(nothing, [[], [], ["kept"]])];
  expect(citePrecedents(more)).toMatch(
    /^No change is shown to prevent a collapse: 1 change was tried in 11 branches of similar runs, and no difference .* branches of about \d+ more such runs would show it\.$/,
  );
  const worse = [
    ...branches(
      "mask",
      list(3, () => times(2, "collapsed")),
    ),
    ...branches(
      nothing,
      list(3, () => times(2, "kept")),
    ),
  ];
  expect(citePrecedents(worse)).toMatch(/and no change had fewer collapses than unchanged branches\.$/);
});

it("names the change with the clearest difference, with its counts over equal pairs", () => {
  const known = [
    ...branches(
      "Sequence mask",
      list(5, (r) => [...times(3, "kept"), r === 0 ? "unclear" : "kept"]),
    ),
    ...branches(
      "KL",
      list(5, (r) => (r < 2 ? times(4, "kept") : times(4, "collapsed"))),
    ),
    ...branches(
      nothing,
      list(5, () => [...times(4, "collapsed"), "kept"]),
    ),
  ];
  expect(citePrecedents(known)).toBe(
    "In 5 similar runs that were branched at the alarm, sequence mask prevented collapses. Branches that collapsed: 0 of 20, 1 unclear; without a change, 20 of 20 (p < 0.001, corrected for 2 changes).",
  );
  // Continuation 0 is the recorded run, and branches that had collapsed before do not count.
  const left = known.map((one) => ({ ...one, continuation: 0 }));
  expect(citePrecedents(left)).toBe(none);
  expect(citePrecedents(known.map((one) => ({ ...one, outcome: "before" })))).toBe(none);
  const open = known.map((one, i): Precedent => (i < 3 ? { ...one, outcome: "not judged yet" } : one));
  expect(citePrecedents(open)).toBe("No change can be recommended yet: 3 of 65 branches are still being judged.");
});

type Made = { numRuns: number; rateOf: (arm: string, rng: Rng) => (base: number) => number };

/** Makes a rescue study: runs differ in their rate of collapse without a change, as recorded ones do. */
function makeStudy(rng: Rng, { numRuns, rateOf }: Made): Precedent[] {
  const bases = list(numRuns, () => 0.5 + 0.5 * rng.next());
  return [nothing, ...arms].flatMap((arm) =>
    branches(
      arm,
      bases.map((base) => {
        const rate = rateOf(arm, rng)(base);
        return list(4, () => (rng.next() < rate ? "collapsed" : rng.next() < 0.3 ? "unclear" : "kept"));
      }),
    ),
  );
}

function countNamed(numStudies: number, made: Made): { named: number; right: number } {
  const texts = list(numStudies, (i) => citePrecedents(makeStudy(split(i, "made study", made.numRuns), made)));
  const named = texts.filter((text) => text.includes("prevented collapses"));
  return { named: named.length, right: named.filter((text) => text.includes(", mask prevented")).length };
}

it.each(isSoak ? [3, 12] : [5])(
  "names a change in at most 10 of 200 made studies of %i runs without an effect",
  { tags: inBoth },
  (numRuns) => {
    const without = countNamed(200, { numRuns, rateOf: () => (base) => base });
    expect(without.named).toBeLessThanOrEqual(10);
    // Changes that save some runs and harm as many have no mean effect either.
    const mixed = countNamed(200, {
      numRuns,
      rateOf: (arm, rng) => {
        const shift = arm === nothing ? 0 : rng.next() < 0.5 ? 0.3 : -0.3;
        return (base) => 0.2 + 0.4 * base + shift;
      },
    });
    expect(mixed.named).toBeLessThanOrEqual(10);
  },
);

it.each([
  [12, 0.35],
  [8, 0.2],
])(
  "names the right change in at least 40 of 50 made studies of %i runs, if it leaves %f of the collapses",
  (numRuns, factor) => {
    const found = countNamed(50, { numRuns, rateOf: (arm) => (base) => (arm === "mask" ? factor * base : base) });
    expect(found.right).toBeGreaterThanOrEqual(40);
    expect(found.named).toBe(found.right);
  },
);
