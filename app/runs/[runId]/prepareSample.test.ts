import { expect, it } from "vitest";
import { meanLogProb, prepareTokens, sayValidity } from "./prepareSample.ts";

it("shades a token by how unlikely it was, and says its probability", () => {
  const [sure, unlikely, unknown] = prepareTokens([
    { token: "<action>", logProb: 0 },
    { token: "Up", logProb: Math.log(0.25) },
    { token: "x", logProb: null },
  ]);
  expect(sure).toMatchObject({ surprise: 0, about: "p = 1.00, log p = 0.000 nats" });
  expect(unlikely?.surprise).toBeCloseTo(0.75, 12);
  expect(unknown).toEqual({ text: "x", surprise: 0, about: "probability not finite" });
});

it("says which check a response failed", () => {
  expect(sayValidity({ isFormatValid: true, isActionValid: true })).toBe("valid");
  expect(sayValidity({ isFormatValid: false, isActionValid: false })).toBe("invalid format");
  expect(sayValidity({ isFormatValid: true, isActionValid: false })).toBe("no action of the environment");
});

it("averages the tokens that have a probability", () => {
  expect(
    meanLogProb([
      { token: "a", logProb: -1 },
      { token: "b", logProb: -2 },
      { token: "c", logProb: null },
    ]),
  ).toBe(-1.5);
  expect(meanLogProb([])).toBeNaN();
});
