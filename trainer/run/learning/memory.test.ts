import { describe, expect, it } from "vitest";
import type { LlamaConfig } from "#trainer/policy/config.ts";
import { checkMemory, chooseHalves, memoryOf, planMemory } from "./memory.ts";

/** A model of 27.7 M parameters. */
const config: LlamaConfig = {
  vocabularySize: 8000,
  contextTokens: 1024,
  architecture: {
    family: "qwen3",
    numLayers: 8,
    width: 512,
    numHeads: 8,
    numKeyValueHeads: 4,
    headWidth: 64,
    feedForwardWidth: 1408,
    epsilon: 1e-6,
    rotary: { base: 1e6, scaling: { kind: "default" } },
    maxTokens: 2048,
    isTied: true,
    biases: { queryKeyValue: false, output: false, feedForward: false },
    hasHeadNorms: true,
  },
};

const row = (numTokens: number) => ({ numTokens, numSelected: numTokens / 4 });
const room = (limitMb: number) => ({ limitMb, answered: 256 });

describe("a pretrained model's memory plan", () => {
  const [tight, roomy] = [planMemory(config, 3000), planMemory(config, 8000)];

  it("computes layers twice only where rows would else go one by one, or not at all", () => {
    expect([64, 256, 1024].map((width) => tight.recomputes(row(width)))).toEqual([false, false, true]);
    expect(roomy.recomputes(row(1024))).toBe(false);
    const builtIn = { size: "small", vocabularySize: 100, contextTokens: 4096, positions: "learned" } as const;
    expect(planMemory(builtIn, 256).recomputes(row(4096))).toBe(false);
  });

  it("puts more rows into a pass then", () => {
    expect(tight.rowLimit(row(1024))).toBeGreaterThan(1);
    expect(roomy.rowLimit(row(1024))).toBeGreaterThan(1);
    expect(tight.rowLimit(row(64))).toBeGreaterThan(tight.rowLimit(row(1024)));
  });

  it("counts logits where tokens are answered, six numbers for each of a vocabulary", () => {
    const rowMb = (answered: number): number => memoryOf(config, { limitMb: 8000, answered }).rowMb;
    expect(rowMb(512) - rowMb(256)).toBeCloseTo((4 * 6 * 256 * 8000) / 1e6, -1);
    expect(rowMb(5000)).toBe(rowMb(1024));
    const large = { ...config, vocabularySize: 150_000, lora: { rank: 4, alpha: 8, targets: ["query"] } } as const;
    const limitOf = (numSelected: number): number => planMemory(large, 3000).rowLimit({ numTokens: 512, numSelected });
    expect(limitOf(8)).toBeGreaterThan(limitOf(512));
  });

  it("refuses what one row computed twice does not fit into, with the context that would", () => {
    expect(() => checkMemory(config, room(3000))).not.toThrow();
    expect(() => checkMemory(config, room(2300))).toThrow(
      /every layer computed twice.* A policy\.contextTokens of \d+ would fit/,
    );
    expect(() => checkMemory(config, room(2000))).toThrow("No context fits that limit.");
  });
});

describe("weights below adapters whose files have 16 bits a value", () => {
  const adapted: LlamaConfig = { ...config, lora: { rank: 4, alpha: 8, targets: ["query"] } };

  it("are held so where single precision leaves no room for two rows, and take half as much, but for the output layer's table", () => {
    expect(chooseHalves(adapted, "bf16", room(4000)).halves).toBeUndefined();
    expect(chooseHalves(adapted, undefined, room(600)).halves).toBeUndefined();
    expect(chooseHalves(config, "bf16", room(3000)).halves).toBeUndefined();
    const halved = chooseHalves(adapted, "bf16", room(900));
    expect(halved.halves).toBe("bf16");
    const [single, half] = [adapted, halved].map((each) => memoryOf(each, room(900)).parametersMb);
    // In 16 bits, 23.6 M layer weights save two bytes each. Two matrices of 512 × 1,408 are converted at a time and
    // need memory in single precision.
    expect((single ?? NaN) - (half ?? NaN)).toBeCloseTo((2 * 23.6e6 - 2 * 4 * 512 * 1408) / 1e6, -1);
  });

  it("fit where they would not in single precision", () => {
    const limits = Array.from({ length: 50 }, (_, i) => 400 + 10 * i);
    const least = (each: LlamaConfig): number =>
      limits.find((limit) => memoryOf(each, room(limit)).problem === null) ?? NaN;
    expect(least(adapted) - least({ ...adapted, halves: "bf16" })).toBeGreaterThanOrEqual(30);
  });
});
