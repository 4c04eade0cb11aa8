import { describe, expect, it } from "vitest";
import { toParts } from "#packages/tables";
import { methodOf, methods, type MethodName } from "#trainer/spec/method.ts";
import type { CellSpec } from "#trainer/spec/run.ts";
import { sequenceMaskOf } from "#trainer/spec/traits.ts";
import { readdirSync, readFileSync } from "node:fs";
import { listPaperPresets } from "#server/domain/publish/papers/papers.ts";
import { parsePlan } from "#server/domain/plan/sweep/plan.ts";
import { countOnce } from "./settings.ts";
import { type StudiedRun, standardiseRuns } from "./studiedRun.ts";
import { describeSide, describeTest } from "./describePart.ts";
import { nameContradicted, toClaimsTable } from "./claimsTable.ts";
import { standardised } from "./sides.ts";
import { evaluateFindings } from "./findings.ts";
import { cellOf, runsOf, studiedRun } from "./testing/studiedRuns.ts";

type Setting = "plain" | "lr 1e-6" | "lr 1e-5" | "easy" | "hard";
type Fixed = { value: number; early?: number; collapsed?: number; numSteps?: number; setting?: Setting; n?: number };

const changes: Record<Setting, object> = {
  plain: {},
  "lr 1e-6": { optimizer: { learningRate: 1e-6 } },
  "lr 1e-5": { optimizer: { learningRate: 1e-5 } },
  easy: { environment: { id: "sokoban", size: 6 } },
  hard: { environment: { id: "sokoban", size: 9 } },
};

/** Makes runs of one method with values around `value`, 0.01 apart. The first `collapsed` of the runs collapsed. */
function runs(
  name: MethodName,
  { value, early = 0.3, collapsed = 0, numSteps = 1, setting = "plain", n = 6 }: Fixed,
): StudiedRun[] {
  const cell = cellOf({ ...changes[setting], update: { minibatchRows: Math.round(1024 / numSteps) } }, methodOf(name));
  return Array.from({ length: n }, (_, seed) => ({
    ...studiedRun(cell, seed, { value: value + 0.01 * seed, early: early + 0.01 * seed, numSteps }),
    hasCollapsed: seed < collapsed,
    runId: `${name}-${setting}-${numSteps}-${seed}`,
    cell: `${name} ${setting} ${numSteps}`,
    method: methods[name].title,
  }));
}

const findingOf = (all: readonly StudiedRun[], id: string) => evaluateFindings(all).find((one) => one.id === id);
const outcomeOf = (all: readonly StudiedRun[], id: string) => findingOf(all, id)?.outcome;

/** Values of the methods as in the paper. */
const asPublished = [
  ...runs("grpo", { value: 0.6 }),
  ...runs("gspo", { value: 0.78 }),
  ...runs("sapo", { value: 0.25, early: 0.5, collapsed: 6 }),
  ...runs("cispo", { value: 0.3, early: 0.5, collapsed: 6 }),
  ...runs("sapoSm", { value: 0.77 }),
  ...runs("cispoSm", { value: 0.78 }),
  ...runs("gigpo", { value: 0.81 }),
  ...runs("grpoSt", { value: 0.45 }),
  ...runs("ppo", { value: 0.88 }),
  ...runs("rloo", { value: 0.51 }),
  ...runs("dapoGrpo", { value: 0.5 }),
  ...runs("dapoGigpo", { value: 0.86 }),
  // Six runs of SAMPO without a collapse would not differ significantly from a collapse rate of one in five.
  ...runs("sampo", { value: 0.95, n: 24 }),
  ...runs("grpo", { value: 0.4, numSteps: 4 }),
];

describe("the papers' claims", () => {
  it("are all supported by runs that do what the paper says", () => {
    const fresh = asPublished.filter(({ numSteps }) => numSteps === 1);
    const found = Object.fromEntries(evaluateFindings(fresh).map(({ id, outcome }) => [id, outcome]));
    const told = Object.fromEntries(Object.entries(found).filter(([, outcome]) => outcome !== "notEnough"));
    expect(told).toEqual({
      sequenceClipping: "supported",
      tolerantClipping: "supported",
      maskRescues: "supported",
      hierarchicalAdvantage: "supported",
      filteringInteraction: "supported",
      turnMeanHurts: "supported",
      criticBeatsGroups: "supported",
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
    expect(finding?.parts[0]?.reason).toBe("each group needs at least 5 runs, but group-relative has 4");
  });

  it("are open where runs enough differ by no more than chance would, and not for want of data", () => {
    const alike = [...runs("grpo", { value: 0.6 }), ...runs("gigpo", { value: 0.605 })];
    expect(findingOf(alike, "hierarchicalAdvantage")).toMatchObject({
      outcome: "chance",
      parts: [{ outcome: "chance", reason: "the difference could be due to chance" }],
    });
  });

  it("stay open where nobody collapsed", () => {
    const calm = [...runs("sapo", { value: 0.6 }), ...runs("gspo", { value: 0.6 })];
    const [part] = evaluateFindings(calm).find(({ id }) => id === "sequenceClipping")?.parts ?? [];
    expect(part).toMatchObject({ outcome: "tooFew", reason: "no run collapsed in either group" });
  });

  it("name the runs behind every number", () => {
    const [part] = evaluateFindings(asPublished).find(({ id }) => id === "maskRescues")?.parts ?? [];
    expect(part?.sides.map(({ runIds }) => runIds.length)).toEqual([12, 12]);
  });

  it("name a preset whose runs can tell", () => {
    const shipped = readdirSync("public/presets");
    for (const { id, preset, source } of evaluateFindings([])) {
      expect(shipped, id).toContain(`${preset}.yaml`);
      if (!source.startsWith("RAGEN")) expect(listPaperPresets(), id).toContain(preset);
    }
  });

  it("say nothing about no runs", () => {
    expect(new Set(evaluateFindings([]).map(({ outcome }) => outcome))).toEqual(new Set(["notEnough"]));
  });

  it("are about points that the published methods lie on: each side finds its own", () => {
    const sidesOf = (id: string) =>
      findingOf(asPublished, id)
        ?.parts.at(-1)
        ?.sides.map(({ name, runIds }) => {
          return [name, ...new Set(runIds.map((runId) => runId.split("-")[0]))];
        });
    expect(sidesOf("sequenceClipping")).toEqual([
      ["tolerant", "sapo", "cispo"],
      ["sequence", "gspo"],
    ]);
    expect(sidesOf("tolerantClipping")).toEqual([
      ["tolerant", "sapo", "cispo"],
      ["token clip", "grpo"],
    ]);
    expect(sidesOf("maskRescues")).toEqual([
      ["unmasked", "sapo", "cispo"],
      ["masked", "sapoSm", "cispoSm"],
    ]);
    expect(sidesOf("hierarchicalAdvantage")).toEqual([
      ["GiGPO", "gigpo"],
      ["group-relative", "grpo"],
    ]);
    expect(sidesOf("filteringInteraction")).toEqual([
      ["GiGPO, filtered", "dapoGigpo"],
      ["GiGPO, unfiltered", "gigpo"],
      ["group-relative, filtered", "dapoGrpo"],
      ["group-relative, unfiltered", "grpo"],
    ]);
  });
});

/** Effect on a cell's value of each setting that a claim names: ±0.1 each. */
const published: Record<string, (spec: CellSpec) => number> = {
  imitation: ({ initialisation }) => (initialisation.kind === "scratch" ? 0 : 1),
  formatPenalty: ({ reward }) => (reward.invalidActionPenalty > 0 ? 1 : 0),
  klPenalty: ({ update }) => (update.klCoef > 0 ? 1 : 0),
  clipRange: ({ method: { clipping } }) => (clipping.kind === "sequence" && clipping.low === 3e-3 ? 1 : 0),
  temperatures: ({ method: { clipping } }) => (clipping.kind === "sapo" ? -clipping.tauPositive : 0),
  tries: ({ method: { sampling } }) => (sampling.kind === "dynamic" ? sampling.maxTries : 0),
  onlyMaskRescues: ({ method: { clipping } }) => (sequenceMaskOf(clipping) ? 1 : 0),
  complexity: ({ environment: e }) => (e.id === "textworld" ? -e.rooms - 2 * e.objects - e.questLength : 0),
  modelSize: ({ policy }) => (policy.size === "micro" ? 1 : 0),
  horizon: ({ environment: e }) => (e.id === "textworld" ? Math.min(e.maxTurns, 8) : 0),
  density: ({ environment: e }) => (e.id === "textworld" && e.reward === "dense" ? 1 : 0),
  split: ({ budget: { split } }) => (split && split.demonstrationShare % 1 > 0 ? 1 : 0),
};

describe("claims of settings", () => {
  const planOf = (preset: string) =>
    parsePlan(readFileSync(new URL(`../../../../public/presets/${preset}.yaml`, import.meta.url), "utf8"));

  it.each(Object.entries(published))("%s is supported by its preset's runs that do as published", (id, valueOf) => {
    const plan = planOf(findingOf([], id)?.preset ?? "");
    const finding = (sign: number) =>
      findingOf(
        runsOf(plan, (spec) => ({ value: sign * valueOf(spec) })),
        id,
      );
    expect(finding(1)?.outcome).toBe("supported");
    expect(finding(-1)?.outcome).toBe("contradicted");
    expect(finding(0)?.outcome).toBe("chance");
  });

  it.each([
    ["a lower end", { value: 0.2 }, "supported"],
    ["collapses alone", { hasCollapsed: true }, "supported"],
    ["a higher end", { value: 0.8 }, "contradicted"],
  ])("a prior of another domain harms by %s", (_, ofOthers, outcome) => {
    const all = runsOf(planOf("prior-textworld"), ({ initialisation: made }) =>
      made.kind === "demonstrations" && made.environments === "others" ? ofOthers : {},
    );
    expect(findingOf(all, "prior")?.outcome).toBe(outcome);
  });

  it("compare runs that differ in nothing else", () => {
    const cells = [
      [0, 3e-4],
      [0.01, 3e-4],
      [0.01, 1e-3],
    ].map(([klCoef, learningRate]) => cellOf({ update: { klCoef }, optimizer: { learningRate } }));
    const all = cells.flatMap((cell) => Array.from({ length: 5 }, (_, seed) => studiedRun(cell, seed)));
    expect(findingOf(all, "klPenalty")?.parts[0]).toMatchObject({ numContexts: 1, numLeftOut: 5 });
  });
});

describe("runs that differ in more than a claim is about", () => {
  it("are not compared: another learning rate might be all there is to a difference", () => {
    const mixed = [
      ...runs("grpo", { value: 0.3, setting: "lr 1e-6" }),
      ...runs("gigpo", { value: 0.9, setting: "lr 1e-5" }),
    ];
    const finding = findingOf(mixed, "hierarchicalAdvantage");
    expect(finding?.outcome).toBe("notEnough");
    expect(finding?.parts[0]).toMatchObject({
      numLeftOut: 12,
      numContexts: 0,
      reason:
        "each group needs at least 5 runs, but GiGPO has 0 comparable runs out of 6 and group-relative has 0 comparable runs out of 6",
    });
  });

  it("are compared within what they share, so that a side with more runs of an easy setting gains nothing by it", () => {
    // GiGPO is 0.1 worse in both settings, but better on average because most of its runs have the easy setting.
    const unequal = [
      ...runs("grpo", { value: 0.9, setting: "easy", n: 3 }),
      ...runs("gigpo", { value: 0.8, setting: "easy", n: 12 }),
      ...runs("grpo", { value: 0.3, setting: "hard", n: 12 }),
      ...runs("gigpo", { value: 0.2, setting: "hard", n: 3 }),
    ];
    const finding = findingOf(unequal, "hierarchicalAdvantage");
    expect(finding?.outcome).toBe("contradicted");
    expect(finding?.parts[0]).toMatchObject({ numLeftOut: 0, numContexts: 2, difference: expect.closeTo(-0.1, 10) });
  });

  it("are left out and counted where the others are enough", () => {
    const more = [...asPublished, ...runs("gigpo", { value: 0.1, setting: "lr 1e-5", n: 4 })];
    expect(findingOf(more, "hierarchicalAdvantage")).toMatchObject({
      outcome: "supported",
      parts: [{ numLeftOut: 16, sides: [{ n: 6 }, { n: 6 }] }],
    });
  });

  it("differ in a parameter of another dimension too", () => {
    const wide = runs("gigpo", { value: 0.9 }).map((run): StudiedRun => {
      return { ...run, point: { ...run.point, clipping: { ...methods.grpo.clipping, high: 0.28 } } };
    });
    expect(outcomeOf([...wide, ...runs("grpo", { value: 0.3 })], "hierarchicalAdvantage")).toBe("notEnough");
  });

  it("of SAPO and CISPO are each compared with their own mask only", () => {
    const crossed = [...runs("sapo", { value: 0.2 }), ...runs("cispoSm", { value: 0.9 })];
    expect(findingOf(crossed, "maskRescues")?.parts[0]).toMatchObject({ numLeftOut: 12, outcome: "tooFew" });
  });

  it("are of one method where staleness is compared", () => {
    const mixed = [...runs("gspo", { value: 0.9, numSteps: 1 }), ...runs("grpo", { value: 0.3, numSteps: 4 })];
    expect(findingOf(mixed, "staleness")).toMatchObject({ outcome: "notEnough", parts: [{ numLeftOut: 12 }] });
  });

  it("say so where a claim takes them all the same", () => {
    expect(findingOf([], "sampoBest")?.note).toMatch(/several dimensions/);
  });
});

describe("the claim that filtering helps one advantage and hurts the other", () => {
  const withFiltered = (gigpo: number, group: number) => [
    ...runs("gigpo", { value: 0.6 }),
    ...runs("dapoGigpo", { value: gigpo }),
    ...runs("grpo", { value: 0.6 }),
    ...runs("dapoGrpo", { value: group }),
  ];

  it.each([
    [0.9, 0.3, "supported"],
    // In the first of the next two rows filtering improves both advantages, in the second it worsens both. The
    // difference of differences is as claimed in both rows.
    [0.9, 0.7, "contradicted"],
    [0.5, 0.2, "contradicted"],
    [0.9, 0.6, "chance"],
  ])("with %f and %f is %s", (gigpo, group, outcome) => {
    const finding = findingOf(withFiltered(gigpo, group), "filteringInteraction");
    expect(finding?.parts.at(-1)?.outcome).toBe("supported");
    expect(finding?.outcome).toBe(outcome);
  });
});

describe("a configuration and seed that two sweeps have", () => {
  it("counts once: the same numbers again are no further evidence", () => {
    const again = runs("grpo", { value: 0.3, n: 3 }).map((run) => ({ ...run, runId: `${run.runId}-again` }));
    const all = [...runs("grpo", { value: 0.3, n: 3 }), ...again, ...runs("gigpo", { value: 0.9, n: 3 })];
    expect(countOnce(all).map(({ runId }) => runId)).toEqual(
      [...all.slice(0, 3), ...all.slice(6)].map(({ runId }) => runId),
    );
    expect(outcomeOf(countOnce(all), "hierarchicalAdvantage")).toBe("notEnough");
  });
});

describe("staleness", () => {
  it("is how many steps were taken, not what was asked for: minibatches beyond the rows are one step", () => {
    const asked = [...runs("grpo", { value: 0.9, numSteps: 1 }), ...runs("grpo", { value: 0.3, numSteps: 1.02 })];
    expect(findingOf(asked, "staleness")).toMatchObject({ outcome: "notEnough", parts: [{ numLeftOut: 12 }] });
  });

  it("is compared between the ends of each family, and unknown where no steps were logged", () => {
    const levels = [1, 2, 4].flatMap((numSteps) => runs("grpo", { value: 0.9 - 0.1 * numSteps, numSteps }));
    const [part] = findingOf(levels, "staleness")?.parts ?? [];
    expect(part).toMatchObject({ outcome: "supported", difference: expect.closeTo(0.3, 10), numLeftOut: 0 });
    const silent = levels.map((run) => ({ ...run, numSteps: NaN }));
    expect(outcomeOf(silent, "staleness")).toBe("notEnough");
  });
});

describe("values of several environments", () => {
  it("are put on one scale within each before they are compared", () => {
    const easy = runs("grpo", { value: 0.9 }).map((run) => ({ ...run, environment: "easy" }));
    const scored = standardiseRuns([...easy, ...runs("grpo", { value: 0.1 })]);
    expect(scored[0]?.value).toBeCloseTo(scored[6]?.value ?? NaN, 10);
  });

  it("stay unknown in an environment that lacks the metric, and count for nothing", () => {
    const mute = runs("gigpo", { value: NaN, early: NaN }).map((run) => ({ ...run, environment: "mute" }));
    const scored = standardiseRuns([...runs("grpo", { value: 0.5 }), ...mute]);
    expect(scored.slice(6).map(({ value, early }) => [value, early])).toEqual(mute.map(() => [NaN, NaN]));
    expect(findingOf(scored, "hierarchicalAdvantage")?.parts[0]?.reason).toMatch(/GiGPO has 0/);
  });
});

it("a mixture is compared with single environments by mean success in all of them", () => {
  const [small, large] = [
    { id: "sokoban", size: 6 },
    { id: "sokoban", size: 7 },
  ];
  const evaluation = { elsewhere: [small, large].map((environment, i) => ({ name: `e${i}`, environment })) };
  const mixture = {
    id: "mixture",
    parts: [
      { name: "a", environment: small },
      { name: "b", environment: large },
    ],
  };
  const trained = (environment: object, level: number) =>
    Array.from({ length: 5 }, (_, seed) => ({
      ...studiedRun(cellOf({ environment, evaluation }), seed),
      elsewhere: new Map([0, 1].map((i) => [`e${i}`, { before: 0, after: level + 0.01 * seed + 0.1 * i }])),
    }));
  const singles = [...trained(small, 0.3), ...trained(large, 0.4)];
  const all = [...trained(mixture, 0.6), ...singles];
  expect(outcomeOf(all, "mixture")).toBe("supported");
  expect(findingOf(all, "mixture")?.parts[0]?.difference).toBeCloseTo(0.25, 10);
  expect(outcomeOf([...trained(mixture, 0.1), ...singles], "mixture")).toBe("contradicted");
  expect(outcomeOf(singles, "mixture")).toBe("notEnough");
});

it("a change in more complex environments is tested run by run, and others do not count", () => {
  const elsewhere = [
    { name: "large", environment: { id: "sokoban", size: 9 } },
    { name: "small", environment: { id: "sokoban", size: 5 } },
    { name: "shop", environment: { id: "webshop" } },
  ];
  const cell = cellOf({ evaluation: { elsewhere } });
  const values = (before: number, after: number) => ({ before, after });
  const transferred = (change: number) =>
    Array.from({ length: 5 }, (_, seed) => ({
      ...studiedRun(cell, seed),
      elsewhere: new Map([
        ["large", values(0.1 + 0.02 * seed, 0.1 + 0.02 * seed + change + 0.01 * seed)],
        ["small", values(0.9, 0.1)],
        ["shop", values(0.9, 0.1)],
      ]),
    }));
  expect(outcomeOf(transferred(0.2), "transfer")).toBe("supported");
  expect(outcomeOf(transferred(-0.2), "transfer")).toBe("contradicted");
  expect(outcomeOf(runs("grpo", { value: 0.5 }), "transfer")).toBe("notEnough");
  const [part] = findingOf(transferred(0.2), "transfer")?.parts ?? [];
  expect(part).toMatchObject({ isPaired: true, difference: expect.closeTo(0.22), numLeftOut: 0 });
  expect(part && describeTest({ ...part, unit: "fraction" })).toMatch(
    /^Difference \+?−?\d+(\.\d)? \[.*\] points, paired; paired t/,
  );
  // The table says in points what the page says in points, and the number otherwise.
  const shown = (unit: string) => {
    const { columns, rows } = toClaimsTable(evaluateFindings(transferred(0.2)), { unit });
    const at = columns.findIndex(({ key }) => key === "difference");
    const column = columns[at];
    return column && toParts(rows.find(({ block }) => block === "transfer")?.cells[at], column);
  };
  expect(shown("fraction")).toMatchObject({ text: "22.0" });
  expect(shown("")).toMatchObject({ text: "0.220" });
});

it("the table and the sentences name the unit of standardised values, and of fractions beside them", () => {
  const notesIn = (unit: string) => toClaimsTable(evaluateFindings(asPublished), { unit }).notes.join(" ");
  expect(notesIn(standardised)).toMatch(/standard deviations within each environment.* are fractions/);
  expect(notesIn("fraction")).not.toMatch(/standard deviations|fractions/);
  const sentences = evaluateFindings(asPublished).flatMap(({ parts }) =>
    parts.flatMap(({ unit, ...part }) => {
      const [first] = part.sides;
      if (unit !== undefined || !first || !Number.isFinite(part.interval.low)) return [];
      return [standardised, "fraction"].map(
        (to) => `${describeSide(first, { ...part, unit: to })}; ${describeTest({ ...part, unit: to })}`,
      );
    }),
  );
  expect(sentences.length).toBeGreaterThan(4);
  for (const sentence of sentences)
    expect(sentence).toMatch(/^mean [^;]* (SD; Difference [^;]* SD|%; Difference [^;]* points), unpaired; /);
});

it("contradicted claims are named if there are one or two", () => {
  const name = (count: number) =>
    nameContradicted([
      { claim: "A.", outcome: "supported" },
      ...["B.", "C.", "D."].slice(0, count).map((claim) => ({ claim, outcome: "contradicted" as const })),
    ]);
  expect([0, 1, 2, 3].map(name)).toEqual(["", "Contradicted: “B”.", "Contradicted: “B” and “C”.", ""]);
});

it("RAGEN's transfer to larger rooms is tested in rooms of its sizes alone", () => {
  const room = (size: number, numBoxes: number) => ({ id: "sokoban", size, numBoxes });
  const elsewhere = [
    { name: "larger", environment: room(8, 2) },
    { name: "wider", environment: room(8, 1) },
  ];
  const trained = (environment: object) =>
    Array.from({ length: 5 }, (_, seed) => ({
      ...studiedRun(cellOf({ environment, evaluation: { elsewhere } }), seed),
      elsewhere: new Map([
        ["larger", { before: 0.1, after: 0.3 + 0.01 * seed }],
        ["wider", { before: 0.9, after: 0.1 }],
      ]),
    }));
  expect(findingOf(trained(room(6, 1)), "largerRooms")).toMatchObject({
    outcome: "supported",
    parts: [{ difference: expect.closeTo(0.22) }],
  });
  expect(outcomeOf(trained(room(7, 1)), "largerRooms")).toBe("notEnough");
});
