import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
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
    const document = fc.tuple(fc.jsonValue(), fc.nat(2));
    fc.assert(
      fc.property(document, ([value, indent]) => {
        const text = JSON.stringify(value, undefined, indent);
        expect(parseJson(`[${text}, NaN]`)).toEqual([JSON.parse(text), NaN]);
      }),
      { numRuns: 500 },
    );
  });

  it("answers any text, and takes for JSON what JSON.parse takes", () => {
    const text = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string())).map((all) => all.join(""));
    fc.assert(
      fc.property(text, (text) => {
        const value = parseJson(text);
        if (!/NaN|Infinity/.test(text)) expect(value).toEqual(parseStrictly(text));
      }),
      { numRuns: 200 },
    );
  });

  it("takes twice as long for twice the text", () => {
    const text = (size: number) =>
      `[NaN, ${JSON.stringify('\\"NaN'.repeat(size))}, ${"[0.125, NaN], ".repeat(size)}NaN]`;
    const whole = parseJson(text(300_000));
    expect(Array.isArray(whole) && whole.length).toBe(300_003);
  }, 60_000);
});

function parseStrictly(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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
