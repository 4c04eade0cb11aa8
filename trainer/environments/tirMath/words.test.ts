import { describe, expect, it } from "vitest";
import { split } from "#trainer/spec/rng.ts";
import { commonWords, lexiconOf, makeCodec } from "./words.ts";

const lexicon = lexiconOf([
  "print sum range for in while if return math gcd import from NameError name is not defined",
]);
const { toWords, fromWords } = makeCodec(lexicon);

describe("programs as words", () => {
  it.each([
    ["print(sum(range(10)))", "print ( sum ( range ( 1 0 ) ) )"],
    ["x = -5 + 3 ** 2", "x = - 5 + 3 ** 2"],
    ["from math import gcd\nprint(gcd(84, 36))", "from math import gcd <nl> print ( gcd ( 8 4 , 3 6 ) )"],
    ["while n > 0:\n    n //= 10", "while n > 0 : <nl> <indent> n // <glue> = 1 0"],
    ["x=1", "x <glue> = <glue> 1"],
    ["x  =  1", "x <sp> <sp> = <sp> <sp> 1"],
    ["a[1:2]", "a [ 1 : <glue> 2 ]"],
    ["math.gcd(2, 4)", "math . gcd ( 2 , 4 )"],
    ["\\boxed{-12}", "\\boxed{ - 1 2 }"],
    ["NameError: name 'x' is not defined", "NameError : name ' x ' is not defined"],
    ["foo", "f <glue> o <glue> o"],
    ["é", "<u+e9>"],
    ["", ""],
  ])("%s", (text, words) => {
    expect(toWords(text)).toBe(words);
    expect(fromWords(words)).toBe(text);
  });

  it("any text comes back character by character", () => {
    const alphabet = [
      "print",
      "gcd",
      "(",
      ")",
      " ",
      "  ",
      "    ",
      "\n",
      "'",
      '"',
      ".",
      ",",
      ":",
      "-",
      "+",
      "*",
      "**",
    ].concat(
      [
        "//",
        "=",
        "==",
        "1",
        "23",
        "x",
        "Foo",
        "é",
        "😀",
        "\t",
        "\0",
        "<nl>",
        "<sp>",
        "<glue>",
        "```py",
        "\\boxed{",
        "}",
      ],
      ["[", "]", "{", "<u+41>", "\nCode execution result: ", "_", "print_", "A.b", "A. B", "<think>"],
    );
    const rng = split(0, "texts");
    for (let i = 0; i < 4000; i++) {
      const text = Array.from({ length: rng.int(14) }, () => alphabet[rng.int(alphabet.length)] ?? "").join("");
      const words = toWords(text);
      expect(fromWords(words)).toBe(text);
      expect(words).not.toMatch(/\s\s|^\s|\s$|[\n\t]/);
    }
  });

  it("any words are a text, and its words are a text again", () => {
    const words = [...commonWords, ...lexicon, "", "<unk>", "<eos>"];
    const rng = split(1, "words");
    for (let i = 0; i < 2000; i++) {
      const some = Array.from({ length: rng.int(12) }, () => words[rng.int(words.length)] ?? "").join(" ");
      const text = fromWords(some);
      expect(fromWords(toWords(text))).toBe(text);
    }
  });

  it("plain text needs no word that is not in every vocabulary", () => {
    const known = new Set([...commonWords, ...lexicon]);
    const plain = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join("");
    for (const word of toWords(`${plain}\nUnheard_of words`).split(" ")) expect(known).toContain(word);
  });
});
