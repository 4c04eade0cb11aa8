import { expect, test } from "vitest";
import { split } from "#trainer/spec/rng.ts";
import { axisFeatures, middleLevel, phaseFeatures, toPhaseAxis } from "./axis.ts";
import { drawBoundary } from "./boundary.ts";
import { summarisePhases, toPhasesTable } from "./phasesTable.ts";
import { studyPhases, type PhaseInput } from "./diagram.ts";
import { fitFirth, predictLogOdds, toProbability, type LogisticFit, predictCollapse } from "./firth.ts";

const rates = [1e-4, 3e-4, 1e-3, 3e-3];
const lags = [0, 2, 8, 32];

/** Simulates a grid of runs with `numSeeds` per cell; the collapse probability is 50 % on the diagonal. */
function simulate(numSeeds: number, steepness = 3): PhaseInput {
  const rng = split("phases", numSeeds);
  const runs = rates.flatMap((rate, i) =>
    lags.flatMap((lag, j) =>
      Array.from({ length: numSeeds }, () => ({ rate, lag, p: 1 / (1 + Math.exp(-steepness * (i + j - 3))) })),
    ),
  );
  return {
    x: { key: "optimizer.learningRate", title: "Learning rate", values: runs.map(({ rate }) => rate) },
    y: { key: "rollout.lag", title: "Lag", values: runs.map(({ lag }) => lag) },
    hasCollapsed: runs.map(({ p }) => rng.next() < p),
  };
}

function study(input: PhaseInput) {
  const found = studyPhases(input);
  const [diagram] = found?.diagrams ?? [];
  if (!found || !diagram) throw new Error("no diagram");
  return { ...found, diagram };
}

test("an axis is on its logarithm where values go by factors, a zero before them included", () => {
  const axis = (values: (number | string | null)[]) => toPhaseAxis({ key: "k", title: "K", values });
  expect(axis(rates)?.spacing).toBe("log");
  expect(axis(lags)?.spacing).toBe("logOnePlus");
  expect(axis([0, 1, 2, 3])?.spacing).toBe("linear");
  expect(axis(["float32", "fp8"])).toMatchObject({ spacing: "names", levels: ["float32", "fp8"] });
  expect(axis([0.2, 0.2])).toBeUndefined();
  expect(axis([1, 2, 3])?.coordinates).toEqual([-1, 0, 1]);
});

test("features go on between and beyond numbers, and are indicators of names", () => {
  const numbers = toPhaseAxis({ key: "k", title: "K", values: [1, 2, 3] });
  const names = toPhaseAxis({ key: "k", title: "K", values: ["a", "b", "c"] });
  if (!numbers || !names) throw new Error("no axis");
  expect(axisFeatures(numbers, 0.5)).toEqual([-0.5]);
  expect(axisFeatures(numbers, -0.5)).toEqual([-1.5]);
  expect([0, 1, 2].map((at) => axisFeatures(names, at))).toEqual([
    [0, 0],
    [1, 0],
    [0, 1],
  ]);
  expect(axisFeatures(names, 2.4)).toEqual([0, 1]);
});

test("the middle of two neighbours is a value that a person would write, and whole among whole ones", () => {
  const middle = (values: number[], index: number) => {
    const axis = toPhaseAxis({ key: "k", title: "K", values });
    return axis && middleLevel(axis, index);
  };
  expect(middle(rates, 1)).toBe(0.00055);
  expect(middle(lags, 2)).toBe(16);
  expect(middle([1, 2, 3], 0)).toBeUndefined();
  expect(middle(rates, 3)).toBeUndefined();
});

test("cells count collapses with Wilson's interval; runs that are not judged are said", () => {
  const input = simulate(3);
  const { diagram, numWithout } = study({
    ...input,
    hasCollapsed: input.hasCollapsed.map((one, i) => (i === 0 ? null : one)),
  });
  expect(numWithout).toBe(1);
  expect(diagram.cells).toHaveLength(16);
  expect(diagram.cells[0]?.runs).toEqual([1, 2]);
  expect(diagram.cells.at(-1)).toMatchObject({ x: 3, y: 3, numCollapsed: 3, interval: { high: 1 } });
});

test("with many runs the line lies on the true boundary, and the band around it is narrow", () => {
  const { diagram, x, y } = study(simulate(200, 1));
  if (!diagram.fit) throw new Error(diagram.whyNoFit);
  const { lines, band } = drawBoundary({ x, y }, diagram.fit);
  // The true boundary is x + y = 3 in level indices. The fitted one only approximates it, as log(1 + lag) is not
  // exactly equidistant over 0, 2, 8, 32.
  for (const [atX, atY] of lines.flat()) expect(Math.abs(atX + atY - 3)).toBeLessThan(0.5);
  const area = (of: typeof band) => of.reduce((sum, { width, height }) => sum + width * height, 0);
  const few = study(simulate(3, 1)).diagram.fit;
  if (!few) throw new Error("no fit");
  expect(area(band)).toBeLessThan(area(drawBoundary({ x, y }, few).band) / 3);
  const corner = predictCollapse(diagram.fit, phaseFeatures({ x, y }, 3, 3));
  expect(corner.low).toBeGreaterThan(0.9);
});

test("cells without an exception on either side have a boundary too", () => {
  const { diagram, x, y } = study(simulate(3, 1000));
  if (!diagram.fit) throw new Error(diagram.whyNoFit);
  const { lines } = drawBoundary({ x, y }, diagram.fit);
  expect(lines).toHaveLength(1);
  expect(Math.abs((lines[0]?.[0]?.[0] ?? 0) + (lines[0]?.[0]?.[1] ?? 0) - 3)).toBeLessThan(1);
});

test("along names the boundary is a piece for each", () => {
  const input = simulate(4, 2);
  const names = input.y.values.map((lag) => `lag ${lag}`);
  const { diagram, x, y } = study({ ...input, y: { ...input.y, values: names } });
  if (!diagram.fit) throw new Error(diagram.whyNoFit);
  for (const line of drawBoundary({ x, y }, diagram.fit).lines) {
    expect(line).toHaveLength(2);
    expect(line[0]?.[0]).toBe(line[1]?.[0]);
  }
});

test("what a cell would tell is what a fit with its runs tells", () => {
  const { diagram, x, y } = study(simulate(40));
  const [best] = diagram.next;
  if (!best || !diagram.fit) throw new Error("nothing to add");
  expect(best.numRuns).toBe(40);
  expect(best.chance).toBeGreaterThan(0.05);
  expect(best.chance).toBeLessThan(0.95);
  expect(diagram.next.map(({ gain }) => gain)).toEqual(diagram.next.map(({ gain }) => gain).toSorted((a, b) => b - a));
  const spots = [0, 0.5, 1, 1.5, 2, 2.5, 3];
  const positionOf = (axis: typeof x, value: number | string) =>
    spots.find((at) => (at % 1 === 0 ? axis.levels[at] : middleLevel(axis, at - 0.5)) === value) ?? NaN;
  const trials = diagram.cells.map((cell) => ({
    features: phaseFeatures({ x, y }, cell.x, cell.y),
    numRuns: cell.runs.length,
    numEvents: cell.numCollapsed,
  }));
  const features = phaseFeatures({ x, y }, positionOf(x, best.x), positionOf(y, best.y));
  const added = fitFirth([...trials, { features, numRuns: 40, numEvents: 40 * best.chance }]);
  if (!added) throw new Error("no fit");
  const unsure = (fit: LogisticFit) =>
    spots
      .flatMap((atX) => spots.map((atY) => predictLogOdds(fit, phaseFeatures({ x, y }, atX, atY))))
      .reduce(
        (sum, { logOdds, standardError }) =>
          sum + (toProbability(logOdds) * (1 - toProbability(logOdds)) * standardError) ** 2,
        0,
      );
  expect(1 - unsure(added) / unsure(diagram.fit)).toBeCloseTo(best.gain, 2);
});

test.each([
  [{ hasCollapsed: () => true }, "All 48 runs collapsed"],
  [{ hasCollapsed: () => false }, "None of 48 runs collapsed"],
  [
    { hasCollapsed: (i: number) => (i < 5 ? i === 0 : null) },
    "Fitting a boundary needs at least 8 judged runs, but there are only 5.",
  ],
])("no boundary is drawn where runs cannot tell it: %#", ({ hasCollapsed }, reason) => {
  const input = simulate(3);
  const { diagram } = study({ ...input, hasCollapsed: input.hasCollapsed.map((_, i) => hasCollapsed(i)) });
  expect(diagram.fit).toBeUndefined();
  expect(diagram.whyNoFit).toContain(reason);
  expect(diagram.next).toEqual([]);
});

test("each level of a third column has a diagram of its own", () => {
  const input = simulate(2);
  const values = input.x.values.map((_, i) => (i % 2 === 0 ? "GRPO" : "GSPO"));
  const found = studyPhases({ ...input, by: { key: "method", title: "Method", values } });
  expect(found?.diagrams.map(({ group, cells }) => [group, cells.length])).toEqual([
    ["GRPO", 16],
    ["GSPO", 16],
  ]);
});

test.each([
  // Wilson's intervals of 10/10 and 0/10.
  [[0, 0, 5, 5], 5, "10 of 20 runs collapsed, all at rate = 3e-3 (10 of 10 [72, 100] %; elsewhere 0 of 10 [0, 28] %)."],
  [
    [0, 0, 1, 0],
    1,
    "1 of 4 runs collapsed, at rate = 3e-3, lag = 0 (1 of 1 [21, 100] %; elsewhere 0 of 3 [0, 56] %; their 95 % intervals overlap).",
  ],
  [
    [0, 5, 5, 0],
    5,
    "10 of 20 runs collapsed; most in 2 combinations (5 of 5 each), fewest in 2 combinations (0 of 5 each).",
  ],
  [
    [1, 2, 3, 1],
    5,
    "7 of 20 runs collapsed; most at rate = 3e-3, lag = 0 (3 of 5 [23, 88] %), fewest in 2 combinations (1 of 5 each); their 95 % intervals overlap.",
  ],
  [[0, 0, 0, 0], 1, "0 of 4 runs collapsed; no settings differ."],
])("a sentence names what all collapses share, or where most and fewest are: %j of %d", (counts, numRuns, sentence) => {
  const runs = counts.flatMap((count, cell) => Array.from({ length: numRuns }, (_, i) => ({ cell, has: i < count })));
  const input: PhaseInput = {
    x: { key: "x", title: "Rate", values: runs.map(({ cell }) => (cell < 2 ? 1e-3 : 3e-3)) },
    y: { key: "y", title: "Lag", values: runs.map(({ cell }) => cell % 2) },
    hasCollapsed: runs.map(({ has }) => has),
  };
  expect(summarisePhases(study(input))).toBe(sentence);
});

test("a table writes levels as the diagram does, and its proofs keep the number", () => {
  const { diagram: _, ...found } = study(simulate(1));
  expect(toPhasesTable(found, []).rows[0]?.cells[0]).toEqual({ kind: "text", text: "1e-4", key: "0.0001" });
});
