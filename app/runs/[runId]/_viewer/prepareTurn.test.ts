import { expect, it } from "vitest";
import { formatValidity, repliesBefore } from "#app/_components/episode/turns.ts";
import { breakSections, entropyScaleOf, meanOfKnown, prepareTokens } from "./prepareTurn.ts";

const response = [
  { token: "<action>", logProb: 0, entropy: 0 },
  { token: "up", logProb: Math.log(0.25), entropy: 1 },
  { token: "x", logProb: null, entropy: null },
  { token: "y", logProb: -1 },
];

it("shades a token by how unlikely it was, and says its probability", () => {
  const [sure, unlikely, unknown] = prepareTokens(response, "probability", 2);
  expect(sure).toMatchObject({ shade: 0, about: "p = 1.00, log p = 0 nats, entropy 0 nats" });
  expect(unlikely?.shade).toBeCloseTo(0.75, 12);
  expect(unknown).toEqual({ text: "x", shade: null, about: "probability not finite" });
});

it("shades by entropy on a scale, and not at all where none was recorded", () => {
  expect(prepareTokens(response, "entropy", 2).map(({ shade }) => shade)).toEqual([0, 0.5, null, null]);
  expect(prepareTokens(response, "entropy", 0.5)[1]?.shade).toBe(1);
});

it("has one scale of entropy for an episode, and none for one recorded without", () => {
  const turn = { prompt: "", action: "", reward: 0, isFormatValid: true, isActionValid: true };
  const lower = { ...turn, response: [{ token: "a", logProb: 0, entropy: 0.4 }] };
  expect(entropyScaleOf({ turns: [{ ...turn, response }, lower] })).toBe(1);
  expect(entropyScaleOf({ turns: [{ ...turn, response: response.slice(0, 1) }] })).toBe(0.1);
  expect(entropyScaleOf({ turns: [{ ...turn, response: response.slice(3) }] })).toBeUndefined();
});

it("says which check a response failed", () => {
  expect(formatValidity({ isFormatValid: true, isActionValid: true })).toBe("valid");
  expect(formatValidity({ isFormatValid: false, isActionValid: false })).toBe("invalid format");
  expect(formatValidity({ isFormatValid: true, isActionValid: false })).toBe("invalid action");
});

it("averages what is known", () => {
  expect(meanOfKnown([-1, null, -2, undefined])).toBe(-1.5);
  expect(meanOfKnown([])).toBeNaN();
});

it("plays again what was written before a turn, token for token", () => {
  const turn = { prompt: "", action: "", reward: 0, isFormatValid: true, isActionValid: true, response };
  expect(repliesBefore([turn, turn], 1)).toEqual([{ kind: "words", words: "<action> up x y" }]);
  const written = { text: "<action>up", tokens: [5, 1, 6] };
  expect(repliesBefore([{ ...turn, written }, turn], 1)).toEqual([{ kind: "tokens", ...written }]);
});

it("gives every section of a prompt its line", () => {
  expect(breakSections("<task> a <obs> b <sep> c > d")).toBe("<task> a\n<obs> b\n<sep> c > d");
  expect(breakSections("<task> a <obs> 1 f ( ) { <nl> 2 <in> return <nl> <nl> 3 }")).toBe(
    "<task> a\n<obs> 1 f ( ) { <nl>\n2 <in> return <nl>\n<nl>\n3 }",
  );
});
