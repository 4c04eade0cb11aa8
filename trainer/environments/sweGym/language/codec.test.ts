import { describe, expect, it } from "vitest";
import { split } from "#trainer/spec/rng.ts";
import { makeCodec } from "./codec.ts";

const digits = Array.from({ length: 32 }, (_, i) => String(i));
const known = new Set(
  [
    ..."(){}[];:,.?!+-*/%<>=&|'\"`_#@$^~\\".split(""),
    ...digits,
    ..."== != <= // ** -> += :: _1 test_ src".split(" "),
  ].concat(
    "total values value mean sum return for in not and or if else from import def class lambda len max self".split(" "),
    ".values .series TestSeries 'a' 'int' tests/test_series.py src/series.py".split(" "),
  ),
);
const { toWords, fromWords } = makeCodec(known);

describe("code as words", () => {
  it.each([
    ["    return total / len(values)", "<in> return total / len ( values )"],
    ["        total += -1", "<in> <in> total += - 1"],
    ["      total", "<in> <sp> <sp> total"],
    ["def mean(values):", "def mean ( values ) :"],
    ["for value in values.values():", "for value in values .values ( ) :"],
    ["return values[1:] + [-1, *values][0]", "return values [ 1 : ] + [ - 1 , * values ] [ 0 ]"],
    [
      "return {**values, 'a': 1} if not (total) else 2 ** 3",
      "return { ** values , 'a' : 1 } if not ( total ) else 2 ** 3",
    ],
    ["max(values, default=0)", "max ( values , default = 0 )"],
    ["total = lambda value: value // 2", "total = lambda value : value // 2"],
    ["from src.series import mean", "from src .series import mean"],
    ["from .series import mean", "from .series import mean"],
    ["     3\t    return [1, -2][0]", "3 <in> return [ 1 , - 2 ] [ 0 ]"],
    ["     9\t", "9"],
    ["2 failed, 1 passed", "<plain> 2 failed , 1 passed"],
    ["     3\t5 + 5", "3 <glue> 5 + 5"],
    ["   128\t)", "1 2 8 )"],
    ["edit src/series.py 3 : if total > 0: return", "edit src/series.py 3 : if total > 0 : return"],
    ["src/series.py:3: total = 0", "src/series.py : 3 : total = 0"],
    ["valuestotal(1)", "values <glue> total ( 1 )"],
    ["mean([1, 2]) returns 1.5 but should return [3].", "mean ( [ 1 , 2 ] ) returns 1 . 5 but should return [ 3 ] ."],
    [
      "tests/test_series.py::TestSeries::test_mean_1 - AssertionError: 3 != 2",
      "tests/test_series.py :: TestSeries :: test_ mean _1 - AssertionError : 3 != 2",
    ],
    ["The file /testbed/src/series.py has been edited.", "The file /testbed/ src/series.py has been edited ."],
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
      "src/a.py",
      "test_a",
      "=",
      "**",
      "]",
      "    ",
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
