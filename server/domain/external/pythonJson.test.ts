import { describe, expect, it } from "vitest";
import { split, type Rng } from "#trainer/spec/rng.ts";
import { parseJson } from "./pythonJson.ts";

describe("JSON as Python writes it", () => {
  it.each([
    ['{"step": 1, "loss": NaN}', { step: 1, loss: NaN }],
    ["[Infinity, -Infinity, NaN, -1.5e-7, true, null]", [Infinity, -Infinity, NaN, -1.5e-7, true, null]],
    ['{"note": "NaN, Infinity: \\"NaN\\" \\\\", "NaN": NaN, "": {}}', { note: 'NaN, Infinity: "NaN" \\', NaN, "": {} }],
    [' {"a" : [ ] ,\n"a": NaN } ', { a: NaN }],
    ["NaN", NaN],
  ])("%s", (text, value) => expect(parseJson(text)).toEqual(value));

  it.each([
    "NaN NaN",
    "[NaN",
    '{"a": NaN,}',
    '{"a": -NaN}',
    '{"a": NaNs}',
    "{a: NaN}",
    "['NaN']",
    '{"a": "NaN}',
    '{"a": 01, "b": NaN}',
    "nan",
    `${"[".repeat(1e6)}NaN`,
  ])("is nothing else: %.30s", (text) => expect(parseJson(text)).toBeUndefined());

  it("reads every document as JSON.parse reads it, and NaN beside it", () => {
    const rng = split("pythonJson");
    for (let i = 0; i < 500; i++) {
      const value = makeValue(rng, 4);
      const text = JSON.stringify(value, undefined, rng.int(3));
      expect(parseJson(`[${text}, NaN]`)).toEqual([value, NaN]);
    }
  });

  it("takes twice as long for twice the text", () => {
    const text = (size: number) =>
      `[NaN, ${JSON.stringify('\\"NaN'.repeat(size))}, ${"[0.125, NaN], ".repeat(size)}NaN]`;
    const whole = parseJson(text(300_000));
    expect(Array.isArray(whole) && whole.length).toBe(300_003);
  }, 20_000);
});

/** Any JSON value, texts with quotes, backslashes and the words for numbers that are not finite among them. */
function makeValue(rng: Rng, depth: number): unknown {
  const pick = rng.int(depth === 0 ? 4 : 6);
  const text = () => Array.from({ length: rng.int(5) }, () => pieces[rng.int(pieces.length)]).join("");
  if (pick === 0) return text();
  if (pick === 1) return (rng.next() - 0.5) * 10 ** (rng.int(40) - 20);
  if (pick === 2) return rng.int(2) === 0;
  if (pick === 3) return null;
  const items = Array.from({ length: rng.int(4) }, () => makeValue(rng, depth - 1));
  return pick === 4 ? items : Object.fromEntries(items.map((item) => [text(), item]));
}

const pieces = [
  "NaN",
  "Infinity",
  '"',
  "\\",
  "{",
  "}",
  ",",
  ":",
  " ",
  "\n",
  "ü",
  "\u0000",
  "\ud83d\ude00",
  "__proto__",
];
