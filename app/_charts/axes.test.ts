import { describe, expect, it } from "vitest";
import { frameOf, labelTicks, linesOf, nameLine, plotFrame, toFraction, widthOf } from "./axes.ts";

const axisOf = (names: readonly string[]) => ({
  domain: [-0.5, names.length - 0.5] as const,
  ticks: [...names.keys()],
  format: (i: number) => names[i] ?? "",
  isNames: true,
});
const texts = (...given: Parameters<typeof labelTicks>) => labelTicks(...given).map(({ text }) => text);

describe("labels of an axis", () => {
  const domain = [0, 1000] as const;
  const ticks = [0, 200, 400, 600, 800, 1000];

  it("are as many as have room, at equal distances and with the last one where that is possible", () => {
    expect(texts({ domain, ticks }, 600, "x")).toEqual(["0", "200", "400", "600", "800", "1,000"]);
    expect(texts({ domain, ticks }, 150, "x")).toEqual(["0", "500", "1,000"]);
    expect(texts({ domain, ticks }, 88, "y")).toEqual(["0", "500", "1,000"]);
  });

  it("never overlap at any width from a phone's to a screen's", () => {
    for (let width = 120; width < 1500; width += 7) {
      const labels = labelTicks({ domain, ticks }, width, "x");
      for (const [i, { value, text }] of labels.entries()) {
        const next = labels[i + 1];
        if (!next) continue;
        const distance = (toFraction(next.value, domain, "linear") - toFraction(value, domain, "linear")) * width;
        expect(distance).toBeGreaterThan((widthOf(text) + widthOf(next.text)) / 2);
      }
    }
  });

  it("that are names all stay, slant where they are wider than their share of the axis, and are cut at 18 letters", () => {
    const axis = axisOf(["token mean", "sequence mean of token means"]);
    expect(labelTicks(axis, 600, "x").map(({ isSlanted }) => isSlanted)).toEqual([undefined, undefined]);
    expect(labelTicks(axis, 120, "x").map(({ isSlanted }) => isSlanted)).toEqual([true, true]);
    expect(texts(axis, 120, "x")).toEqual(["token mean", "sequence mean of …"]);
    expect(texts(axis, 40, "y")).toEqual(["token mean", "sequence mean of …"]);
  });

  it("outside the domain are left out", () => {
    expect(texts({ domain: [0, 1.18], ticks: [0, 0.5, 1, 1.5] }, 300, "y")).toEqual(["0", "0.5", "1"]);
  });
});

it("names of axes have room where there are any", () => {
  const bare = { domain: [0, 1] as const };
  expect(frameOf(bare, bare, 400)).toEqual(plotFrame);
  expect(frameOf({ ...bare, label: "Iteration" }, bare, 400).bottom).toBeGreaterThan(plotFrame.bottom);
});

it("names of things have their room beside the y-axis, and below the x-axis where they slant", () => {
  const bare = { domain: [0, 1] as const };
  const names = axisOf(["Decoupled PPO", "GRPO_SeqTIS", "VESPO"]);
  expect(frameOf(bare, names, 400).left).toBeGreaterThan(widthOf("Decoupled PPO"));
  expect(frameOf(names, bare, 800)).toEqual(plotFrame);
  const narrow = frameOf(names, bare, 160);
  expect(narrow.bottom).toBeGreaterThan(plotFrame.bottom + 40);
  expect(narrow.left).toBeGreaterThan(plotFrame.left);
});

it("parts a long name of the upright axis at the space nearest to its middle, and makes room for the second line", () => {
  const name = "Out of range: A < 0, ratio < 1, entropy low";
  expect(linesOf("Gradient norm")).toEqual(["Gradient norm"]);
  expect(linesOf(name)).toEqual(["Out of range: A < 0,", "ratio < 1, entropy low"]);
  expect(linesOf("x".repeat(50))).toEqual(["x".repeat(50)]);
  const axis = { domain: [0, 1] as const, ticks: [0, 1] };
  const left = (label: string) => frameOf(axis, { ...axis, label }, 400).left;
  expect(left(name) - left("Gradient norm")).toBe(nameLine);
});
