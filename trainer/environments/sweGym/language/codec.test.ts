import { describe, expect, it } from "vitest";
import { split } from "#trainer/spec/rng.ts";
import { makeCodec } from "./codec.ts";

const digits = Array.from({ length: 32 }, (_, i) => String(i));
const known = new Set(
  [
    ..."(){}[];:,.?!+-*/%<>=&|'\"`_#@$^~\\".split(""),
    ...digits,
    ..."=== == <= && => ?? ++ += ... :: _1".split(" "),
  ].concat(
    "total values value mean sum return let const for of function export if length .length .map Math .max".split(" "),
  ),
);
const { toWords, fromWords } = makeCodec(known);

describe("code as words", () => {
  it.each([
    ["  return total / values.length;", "<in> return total / values .length ;"],
    ["export function mean(values) {", "export function mean ( values ) {"],
    ["  for (const value of values) sum += -1;", "<in> for ( const value of values ) sum += - 1 ;"],
    ["     3\t  return [1, -2][0];", "3 <in> return [ 1 , - 2 ] [ 0 ] ;"],
    ["     9\t", "9"],
    ["2 failed, 1 passed", "<plain> 2 failed , 1 passed"],
    ["     3\t5 + 5", "3 <glue> 5 + 5"],
    ["   128\t}", "1 2 8 }"],
    ["value ? 1 : 2", "value ? 1 : 2"],
    ["edit src/series.js 3 : x", "edit src/series.js 3 : x"],
    ["{ a: [], b: {} }", "{ a : [ ] , b : { } }"],
    ["valuestotal(1)", "values <glue> total ( 1 )"],
    ["mean([1, 2]) returns 3.", "mean ( [ 1 , 2 ] ) returns 3 ."],
    ["tests/series.test.js::mean_1 - assert 3 == 2", "tests/series.test.js :: mean _1 - assert 3 == 2"],
    ["The file /testbed/src/series.js has been edited.", "The file /testbed/ src/series.js has been edited ."],
    ["", ""],
  ])("%s", (text, words) => {
    expect(toWords(text)).toBe(words);
    expect(fromWords(words)).toBe(text);
  });

  it("comes back to the letter, however it is spaced", () => {
    const pieces = [
      "a",
      "values",
      " ",
      "  ",
      "\t",
      "\n",
      "\r",
      "\u00a0",
      "12",
      "300",
      "_1",
      "-",
      ":",
      "(",
      "[",
      '"',
      "'",
      "`",
    ];
    pieces.push(
      "?",
      ".",
      ".x",
      "<",
      "<nl>",
      "<think>",
      "<sp>",
      "<u20>",
      "Invalid command.",
      "src/a.js",
      "/testbed",
      "é",
      "😀",
    );
    const rng = split(0, "codec");
    for (let i = 0; i < 4_000; i++) {
      const text = Array.from({ length: rng.int(9) }, () => pieces[rng.int(pieces.length)] ?? "").join("");
      const words = toWords(text);
      expect(words.split(" ").some((word) => /\s/.test(word))).toBe(false);
      expect(fromWords(words)).toBe(text);
    }
  });

  it("any words are a text", () => {
    const rng = split(1, "codec");
    const words = [...known, "<nl>", "<in>", "<sp>", "<tab>", "<glue>", "<plain>", "<cat>", "<u7>", "unknown"];
    for (let i = 0; i < 2_000; i++) {
      const text = fromWords(Array.from({ length: rng.int(12) }, () => words[rng.int(words.length)] ?? "").join(" "));
      expect(fromWords(toWords(text))).toBe(text);
    }
  });
});
