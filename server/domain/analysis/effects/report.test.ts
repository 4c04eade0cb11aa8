import { describe, expect, it } from "vitest";
import { methodOf, methods, type MethodName } from "#trainer/spec/method.ts";
import type { StudiedRun } from "../claims/studiedRun.ts";
import { cellOf, studiedRun } from "../claims/testing/studiedRuns.ts";
import { factorLevels } from "#server/domain/plan/sweep/methods/factorLevels.ts";
import { summariseEffects } from "./effectsTable.ts";
import { reportEffects } from "./report.ts";
import { findPoint, untestedPoints } from "./nextCells.ts";

function runs(name: MethodName, value: number, collapsed = 0): StudiedRun[] {
  const cell = cellOf({}, methodOf(name));
  return Array.from({ length: 5 }, (_, seed) => ({
    ...studiedRun(cell, seed, { value: value + 0.01 * (seed - 2), early: value, hasCollapsed: seed < collapsed }),
    runId: `${name}-${seed}`,
    cell: name,
    method: methods[name].title,
  }));
}

const four = [...runs("grpo", 0.5), ...runs("gigpo", 0.6), ...runs("dapoGrpo", 0.4), ...runs("dapoGigpo", 0.9)];

describe("the dimensions of a two by two design", () => {
  const report = reportEffects(four);

  it("states rank and what varies before any effect", () => {
    expect(report.design).toMatchObject({ numCells: 4, rank: 3, numParameters: 3, aliases: [] });
    expect(report.effects.map(({ factor }) => factor)).toEqual(["advantage", "sampling"]);
  });

  it("gives least-squares means that average over the other dimension", () => {
    const [group, gigpo] = report.effects[0]?.levels ?? [];
    expect(group?.estimate).toMatchObject({ value: expect.closeTo(0.45, 10) });
    expect(gigpo?.estimate).toMatchObject({ value: expect.closeTo(0.75, 10) });
    expect(report.effects[0]?.permutationP).toBeLessThan(0.01);
  });

  it("shares out all of the variance, the noise of seeds among it", () => {
    const { shares } = report;
    const sum = (shares?.terms ?? []).reduce((total, { share }) => total + share, 0);
    expect(sum + (shares?.notModelled ?? NaN) + (shares?.seedNoise ?? NaN)).toBeCloseTo(1, 10);
    expect(shares?.notModelled).toBeGreaterThan(0.1);
  });

  it("shows the interaction as means by two dimensions", () => {
    expect(report.interactions[0]?.cells[1]?.[1]).toMatchObject({ n: 5, mean: expect.closeTo(0.9, 10) });
  });

  it("finds nothing left to test where all four cells are", () => {
    expect(report.next).toEqual([]);
  });
});

describe("a dimension that is coupled to another", () => {
  // GSPO's turn-level ratio determines the aggregation.
  const report = reportEffects([...runs("grpo", 0.5), ...runs("sapo", 0.4), ...runs("gspo", 0.7)]);

  it("is an alias in the design and left out of the effects, which can then be told", () => {
    expect(report.design?.aliases.length).toBeGreaterThan(0);
    expect(report.aliased).toEqual(["aggregation"]);
    expect(report.effects.map(({ factor }) => factor)).toEqual(["clipping"]);
    expect(report.effects[0]?.levels.map(({ estimate }) => estimate.kind)).toEqual([
      "estimate",
      "estimate",
      "estimate",
    ]);
  });
});

describe("what to test next", () => {
  const three = four.filter(({ method }) => method !== methods.dapoGigpo.title);

  it("is the missing corner, as a point that can be launched", () => {
    const [next] = reportEffects(three).next;
    expect(next?.levels).toMatchObject({ advantage: "gigpo", sampling: "dynamic" });
    const point = findPoint(untestedPoints(three.map((run) => run.point)), next?.levels ?? {});
    expect(point && factorLevels(point)).toEqual(factorLevels(methodOf("dapoGigpo")));
  });

  it("carries each dimension as the first tested run with that level has it", () => {
    const points = three.map(({ point }) => point);
    const wide = { ...methodOf("grpo"), clipping: { ...methods.grpo.clipping, high: 0.28 } };
    expect(untestedPoints([...points, wide])[0]?.clipping).toEqual(methods.grpo.clipping);
  });
});

describe("methods by performance and stability", () => {
  it("are on the front when none is better in both", () => {
    const { pareto } = reportEffects([...runs("grpo", 0.5), ...runs("sapo", 0.7, 5), ...runs("gspo", 0.6)]);
    expect(pareto.filter(({ isOnFront }) => isOnFront).map(({ method }) => method)).toEqual(["SAPO", "GSPO"]);
    expect(pareto.find(({ method }) => method === "SAPO")?.stability).toBe(0);
  });
});

describe("methods run in environments of different scales", () => {
  const of = (environment: string, all: StudiedRun[]) => all.map((run) => ({ ...run, environment }));
  // Scores in one environment are a hundred times those in the other. Only SAPO has runs there, with the worst result.
  const report = reportEffects([
    ...of("small", [...runs("grpo", 0.3), ...runs("gspo", 0.6)]),
    ...of("large", [...runs("grpo", 60), ...runs("gspo", 90), ...runs("sapo", 30)]),
  ]);
  const performance = (name: MethodName) =>
    report.pareto.find(({ method }) => method === methods[name].title)?.performance ?? NaN;

  it("are set out on the scale of the effects: the wider one does not decide alone", () => {
    expect(report.unit).toBe("z");
    expect(performance("sapo")).toBeLessThan(performance("grpo"));
    expect(performance("grpo")).toBeLessThan(performance("gspo"));
    expect(Math.abs(performance("gspo"))).toBeLessThan(2);
  });
});

describe("runs that differ in more than their method", () => {
  it("are counted by setting within an environment, since their effects cannot be told from the method's", () => {
    const other = runs("gspo", 0.6).map((run): StudiedRun => {
      return { ...run, settings: cellOf({ optimizer: { learningRate: 1e-5 } }) };
    });
    expect(reportEffects(four).numSettings).toBe(1);
    expect(reportEffects([...four, ...other]).numSettings).toBe(2);
    const elsewhere = other.map((run) => ({ ...run, environment: "webshop" }));
    expect(reportEffects([...four, ...elsewhere]).numSettings).toBe(1);
  });
});

describe("runs that all end alike", () => {
  const alike = four.map((run) => ({ ...run, value: 0.1 + 0.2 }));
  const report = reportEffects(alike);

  it("have no variance to share out, and no test of an effect", () => {
    expect(report.shares).toBeNull();
    expect(report.effects).toHaveLength(2);
    expect(summariseEffects(report)).toMatch(/^Over 20 runs, no effect is shown for \w+ and \w+\.$/);
    for (const { f, permutationP } of report.effects) expect([f, permutationP]).toEqual([NaN, NaN]);
  });
});

describe("runs that tell nothing", () => {
  it("are counted, not filled in", () => {
    const lost = runs("grpo", NaN);
    expect(reportEffects(lost)).toMatchObject({ numRuns: 0, numLeftOut: 5, design: null, effects: [] });
  });
});

it("the shown effects come first in the sentence, largest share first, then seeds", () => {
  const shares = {
    notModelled: 0.07,
    terms: [
      { term: "clipping", share: 0.16 },
      { term: "advantage", share: 0.2 },
    ],
    seedNoise: 0.57,
    hasSeedNoise: true,
  };
  const effects = [
    { factor: "clipping", permutationP: 0.012 },
    { factor: "advantage", permutationP: 0.03 },
    { factor: "sampling", permutationP: 0.4 },
  ] as const;
  expect(summariseEffects({ effects, shares, numRuns: 30 })).toBe(
    "Over 30 runs, advantage explains 20 % of the variance (p = 0.030), clipping 16 % (p = 0.012), seeds 57 %; no effect is shown for sampling.",
  );
  expect(summariseEffects({ effects: effects.slice(2), shares, numRuns: 30 })).toBe(
    "Over 30 runs, seeds explain 57 % of the variance; no effect is shown for sampling.",
  );
});
