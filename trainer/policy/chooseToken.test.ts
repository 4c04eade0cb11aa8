import { expect, it } from "vitest";
import { split } from "#trainer/spec/rng.ts";
import { chooseToken } from "./chooseToken.ts";

const logits = Float32Array.from([0.5, 0.25, 0.125, 0.125], Math.log);
const whole = { temperature: 1, topK: 0, topP: 1 };

function frequencies(choice: typeof whole): number[] {
  const rng = split(7, "frequencies");
  const counts = [0, 0, 0, 0];
  for (let i = 0; i < 20_000; i++) {
    const { token } = chooseToken(logits, choice, rng);
    counts[token] = (counts[token] ?? 0) + 1;
  }
  return counts.map((count) => Math.round((count / 20_000) * 50) / 50);
}

it("draws tokens as often as the distribution says", () => {
  expect(frequencies(whole)).toEqual([0.5, 0.26, 0.12, 0.12].map((x) => expect.closeTo(x, 1)));
});

it("sharpens with a low temperature", () => {
  expect(frequencies({ ...whole, temperature: 0.5 })[0]).toBeCloseTo(0.25 / (0.25 + 0.0625 + 2 * 0.015625), 1);
});

it("keeps the k most likely tokens, or those that reach probability p", () => {
  expect(frequencies({ ...whole, topK: 1 })).toEqual([1, 0, 0, 0]);
  expect(frequencies({ ...whole, topK: 2 }).slice(2)).toEqual([0, 0]);
  expect(frequencies({ ...whole, topP: 0.6 }).slice(2)).toEqual([0, 0]);
  expect(frequencies({ ...whole, topP: 0.4 })).toEqual([1, 0, 0, 0]);
});

it("reports the log-probability before truncation", () => {
  const { token, logProb } = chooseToken(logits, { ...whole, topK: 1 }, split(0, "x"));
  expect(token).toBe(0);
  expect(logProb).toBeCloseTo(Math.log(0.5), 6);
});

it("reports the entropy before truncation, and at the temperature", () => {
  const entropyOf = (shares: readonly number[]): number => shares.reduce((sum, p) => sum - p * Math.log(p), 0);
  const of = (choice: typeof whole): number => chooseToken(logits, choice, split(0, "x")).entropy;
  expect(of({ ...whole, topK: 1 })).toBeCloseTo(entropyOf([0.5, 0.25, 0.125, 0.125]), 6);
  const sharp = [0.25, 0.0625, 0.015625, 0.015625].map((p) => p / 0.34375);
  expect(of({ ...whole, temperature: 0.5 })).toBeCloseTo(entropyOf(sharp), 6);
  expect(chooseToken(Float32Array.of(0, -Infinity), whole, split(0, "x")).entropy).toBe(0);
});

it("takes the most likely token when greedy", () => {
  expect(chooseToken(logits, { ...whole, temperature: 0 }, split(0, "x"))).toMatchObject({ token: 0 });
});

it("does not hide NaN", () => {
  expect(chooseToken(Float32Array.of(0, NaN, 1), whole, split(0, "x"))).toMatchObject({
    logProb: NaN,
    entropy: NaN,
  });
});
