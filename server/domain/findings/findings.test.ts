import { describe, expect, it } from "vitest";
import { methodNames, methodOf, methods, type MethodName } from "#trainer/spec/method.ts";
import { factorLevels } from "../dimensions/factorLevels.ts";
import { evaluateFindings } from "./findings.ts";
import { standardiseRuns } from "./standardiseRuns.ts";
import type { StudiedRun } from "./studiedRun.ts";

type Told = { value: number; early?: number; collapsed?: number; staleness?: number; n?: number };

/** Runs of one method around a value, 0.01 apart; the first `collapsed` of them collapsed. */
function runs(name: MethodName, { value, early = 0.3, collapsed = 0, staleness = 1, n = 6 }: Told): StudiedRun[] {
  const point = methodOf(name);
  return Array.from({ length: n }, (_, seed) => ({
    runId: `${name}-${seed}-${staleness}`,
    seed,
    cell: `${name} ${staleness}`,
    method: methods[name].title,
    point,
    levels: factorLevels(point),
    environment: "sokoban",
    value: value + 0.01 * seed,
    early: early + 0.01 * seed,
    hasCollapsed: seed < collapsed,
    staleness,
  }));
}

const outcomeOf = (all: readonly StudiedRun[], id: string) =>
  evaluateFindings(all).find((finding) => finding.id === id)?.outcome;

/** As the paper has it. */
const asPublished = [
  ...runs("grpo", { value: 0.6 }),
  ...runs("gspo", { value: 0.78 }),
  ...runs("sapo", { value: 0.25, early: 0.5, collapsed: 6 }),
  ...runs("cispo", { value: 0.3, early: 0.5, collapsed: 6 }),
  ...runs("sapoSm", { value: 0.77 }),
  ...runs("cispoSm", { value: 0.78 }),
  ...runs("gigpo", { value: 0.81 }),
  ...runs("dapoGrpo", { value: 0.5 }),
  ...runs("dapoGigpo", { value: 0.86 }),
  // Six without a collapse could not be told from the others' one in five.
  ...runs("sampo", { value: 0.95, n: 24 }),
  ...runs("grpo", { value: 0.4, staleness: 4 }),
];

describe("the papers' claims", () => {
  it("are all supported by runs that do what the paper says", () => {
    const fresh = asPublished.filter(({ staleness }) => staleness === 1);
    const found = Object.fromEntries(evaluateFindings(fresh).map(({ id, outcome }) => [id, outcome]));
    expect(found).toEqual({
      sequenceClipping: "supported",
      tolerantClipping: "supported",
      maskRescues: "supported",
      hierarchicalAdvantage: "supported",
      filteringInteraction: "supported",
      staleness: "notEnough",
      sampoBest: "supported",
    });
    expect(outcomeOf(asPublished, "staleness")).toBe("supported");
  });

  it("are contradicted by runs that do the opposite", () => {
    const worse = [...runs("grpo", { value: 0.8 }), ...runs("gigpo", { value: 0.5 })];
    expect(outcomeOf(worse, "hierarchicalAdvantage")).toBe("contradicted");
  });

  it("stay open with fewer than five runs a side, and say so", () => {
    const few = [...runs("grpo", { value: 0.2, n: 4 }), ...runs("gigpo", { value: 0.9, n: 6 })];
    const finding = evaluateFindings(few).find(({ id }) => id === "hierarchicalAdvantage");
    expect(finding?.outcome).toBe("notEnough");
    expect(finding?.parts[0]?.reason).toBe("at least 5 runs a side: group has 4");
  });

  it("stay open where nobody collapsed", () => {
    const calm = [...runs("sapo", { value: 0.6 }), ...runs("gspo", { value: 0.6 })];
    const [part] = evaluateFindings(calm).find(({ id }) => id === "sequenceClipping")?.parts ?? [];
    expect(part).toMatchObject({ outcome: "open", reason: "nobody collapsed on either side" });
  });

  it("name the runs behind every number", () => {
    const [part] = evaluateFindings(asPublished).find(({ id }) => id === "maskRescues")?.parts ?? [];
    expect(part?.sides.map(({ runIds }) => runIds.length)).toEqual([12, 12]);
  });

  it("say nothing about no runs", () => {
    expect(evaluateFindings([]).map(({ outcome }) => outcome)).toEqual(Array.from({ length: 7 }, () => "notEnough"));
  });

  it("are about points that every published method lies on", () => {
    expect(methodNames.map((name) => factorLevels(methodOf(name)).clipping)).toContain("sapo+mask");
  });
});

describe("values of several environments", () => {
  it("are put on one scale within each before they are compared", () => {
    const easy = runs("grpo", { value: 0.9 }).map((run) => ({ ...run, environment: "easy" }));
    const scored = standardiseRuns([...easy, ...runs("grpo", { value: 0.1 })]);
    expect(scored[0]?.value).toBeCloseTo(scored[6]?.value ?? NaN, 10);
  });
});
