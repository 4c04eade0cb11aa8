import { describe, expect, it } from "vitest";
import { input } from "#trainer/graph/ops.ts";
import { makeSession } from "#trainer/onnx/session.ts";
import { split } from "#trainer/spec/rng.ts";
import { choiceGraph, chooseToken } from "./chooseToken.ts";

const [numRows, size] = [64, 37];
const rng = split(5, "logits");
const logits = Float32Array.from({ length: numRows * size }, () => 3 * rng.normal());
const draws = Float32Array.from({ length: numRows }, (_, i) => (i === 0 ? 0 : rng.next()));

async function chooseAll({ temperature, topK, topP }: { temperature: number; topK: number; topP: number }) {
  const kind = { isGreedy: temperature === 0, topK, topP };
  const session = await makeSession(choiceGraph(input("logits", [numRows, size]), kind));
  const inverseTemperature = Float32Array.of(temperature === 0 ? 1 : 1 / temperature);
  const chosen = await session.run({ logits, draws, inverseTemperature });
  await session.close();
  return chosen;
}

describe("the choice of a token as a graph", () => {
  it.each([
    { temperature: 1, topK: 0, topP: 1 },
    { temperature: 0.4, topK: 0, topP: 1 },
    { temperature: 1.7, topK: 0, topP: 1 },
    { temperature: 0, topK: 0, topP: 1 },
    { temperature: 1, topK: 1, topP: 1 },
    { temperature: 1, topK: 5, topP: 1 },
    { temperature: 1, topK: 0, topP: 0.9 },
    { temperature: 1.3, topK: 0, topP: 0.3 },
    { temperature: 1.3, topK: 8, topP: 0.8 },
  ])("is that of one row at a time: %o", async (choice) => {
    const { token, logProb, entropy } = await chooseAll(choice);
    for (let row = 0; row < numRows; row++) {
      const next = (): number => draws[row] ?? 0;
      const own = logits.subarray(row * size, (row + 1) * size);
      const one = chooseToken(own, choice, { ...split(0, "none"), next });
      expect(token[row], `row ${row}`).toBe(one.token);
      expect(logProb[row]).toBeCloseTo(one.logProb, 4);
      expect(entropy[row]).toBeCloseTo(one.entropy, 4);
    }
    expect(new Set(token).size).toBeGreaterThan(5);
  });

  it("never runs over the last token, and says of broken logits that they are", async () => {
    const session = await makeSession(choiceGraph(input("logits", [3, 2]), { isGreedy: false, topK: 0, topP: 1 }));
    const feeds = { logits: Float32Array.of(0, 0, 9, -200, NaN, 0), draws: new Float32Array(3).fill(1 - 2 ** -24) };
    const { token, logProb } = await session.run({ ...feeds, inverseTemperature: Float32Array.of(1) });
    await session.close();
    expect([...token]).toEqual([1, 0, 1]);
    expect(logProb[2]).toBeNaN();
  });
});
