import { describe, expect, it } from "vitest";
import { scaleOf } from "#server/domain/analysis/hyperparameters/column.ts";
import type { StudyColumn } from "#server/domain/analysis/hyperparameters/prepareStudy.ts";
import { brushBetween, brushesPart, findBrushed, placesOf, replaceBrush, toFilter, type Brush } from "./brush.ts";
import { prepareAxis } from "./prepareAxis.ts";

const column = (key: string, values: StudyColumn["values"]): StudyColumn => ({
  key,
  title: key,
  field: { type: "number", group: "Hyperparameter" },
  scale: scaleOf(values),
  values,
});
const rates = column("lr", [1e-5, 1e-4, 1e-3, 1e-5, 1e-4, 1e-3]);
const methods = column("method", ["B", "A", "C", "A", "A", null]);
const losses = column("loss", [0, 1, 2, 2.5, 4, null]);
const outcome = losses.values;
const [rateAxis, methodAxis, lossAxis] = [rates, methods, losses].map((one) => prepareAxis(one, outcome));
if (!rateAxis || !methodAxis || !lossAxis) throw new Error("three axes");

describe("an axis", () => {
  it("has the levels of a grid where they lie, logarithmic where they are", () => {
    expect(rateAxis.places).toEqual([0, 0.5, 1, 0, 0.5, 1].map((x) => expect.closeTo(x, 9)));
    expect(rateAxis.ticks.map(({ text }) => text)).toEqual(["1e-5", "1e-4", "1e-3"]);
  });

  it("writes all ticks with exponents if one of them needs an exponent", () => {
    const wide = column(
      "lr",
      Array.from({ length: 20 }, (_, i) => 1.01e-4 * 42.6 ** (i / 19)),
    );
    const texts = prepareAxis(wide, wide.values).ticks.map(({ text }) => text);
    expect(texts).toEqual(expect.arrayContaining(["1.01e−4", "2e−3", "4.3e−3"]));
    expect(texts.filter((text) => !text.includes("e"))).toEqual([]);
  });

  it("lays runs of a name side by side by what they came to, and runs without a value below the others", () => {
    // The levels are A, B, C and none; the runs of A are runs 1, 3 and 4, in the order of their outcomes.
    expect(methodAxis.ticks.map(({ text }) => text)).toEqual(["A", "B", "C", "none"]);
    const [b = 0, first = 0, c = 0, second = 0, third = 0, none = 0] = methodAxis.places.map(Number);
    expect(first).toBeLessThan(second);
    expect(second).toBeLessThan(third);
    expect(third).toBeLessThan(b);
    expect([b, c, none]).toEqual([0.375, 0.625, 0.875]);
    expect(lossAxis.places.at(-1)).toBeUndefined();
  });
});

describe("a brush", () => {
  it.each<[string, Brush, (boolean | undefined)[]]>([
    ["of a range", { key: "loss", kind: "range", low: 1, high: 2.5 }, [false, true, true, true, false, false]],
    ["of names", { key: "method", kind: "names", names: ["A", "none"] }, [false, true, false, true, true, true]],
    ["of a column that is gone", { key: "gone", kind: "range", low: 1, high: 2 }, [true, true, true, true, true, true]],
  ])("%s takes its runs", (_, brush, expected) => {
    expect(findBrushed([rates, methods, losses], [brush], 6)).toEqual(expected);
  });

  it("is made between two places and found there again", () => {
    expect(brushBetween(rateAxis, 0.2, 1.02)).toEqual({ key: "lr", kind: "range", low: 1e-4, high: 1e-3 });
    expect(brushBetween(methodAxis, 0.55, 0)).toEqual({ key: "method", kind: "names", names: ["A", "B"] });
    expect(brushBetween(lossAxis, 0.25, 0.5)).toEqual({ key: "loss", kind: "range", low: 1, high: 2 });
    expect(placesOf({ key: "lr", kind: "range", low: 1e-4, high: 1e-3 }, rateAxis)).toEqual(
      [0.25, 1.02].map((x) => expect.closeTo(x, 9)),
    );
    expect(placesOf({ key: "method", kind: "names", names: ["A", "B"] }, methodAxis)).toEqual([0, 0.5]);
    expect(placesOf({ key: "loss", kind: "range", low: 1, high: 2 }, lossAxis)).toEqual([0.25, 0.5]);
  });

  it("of a whole axis, or of none of its levels, is none", () => {
    expect(brushBetween(rateAxis, -1, 2)).toBeUndefined();
    expect(brushBetween(rateAxis, 0.1, 0.2)).toBeUndefined();
    expect(brushBetween(lossAxis, 0, 1)).toBeUndefined();
    const one: Brush = { key: "lr", kind: "range", low: 1, high: 2 };
    expect(replaceBrush([one], "lr", undefined)).toEqual([]);
  });

  it("comes back from the address as it went in, whatever names hold", () => {
    const brushes: Brush[] = [
      { key: "optimizer.learningRate", kind: "range", low: 1e-5, high: 0.001 },
      { key: "param.a:b", kind: "names", names: ["x;y", "50%", "a,b", "ü"] },
      { key: "final.loss", kind: "range", low: -2.5, high: -1 },
    ];
    const written = brushesPart.write(new URLSearchParams("y=1"), brushes);
    expect(brushesPart.parse(new URLSearchParams(written.toString()))).toEqual(brushes);
    expect(brushesPart.write(written, []).toString()).toBe("y=1");
    expect(brushesPart.parse(new URLSearchParams("brush=nonsense;:;a:"))).toEqual([]);
  });
});

describe("the selection as a filter", () => {
  it("names its runs, as long as there is room", () => {
    expect(toFilter(["a-1", "b-2"])).toBe("run=a-1,b-2");
    expect(toFilter(Array.from({ length: 500 }, (_, i) => `run-${i}`))).toBeUndefined();
  });
});
