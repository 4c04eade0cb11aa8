import { array, assert, property, string } from "fast-check";
import { expect, it } from "vitest";
import { quoteArgument, readWords } from "./words.ts";

it("reads the words of a command line back as they were quoted", () => {
  const word = string({ unit: "grapheme" }).map((text) => text.replaceAll("\u0000", ""));
  assert(
    property(array(word), (words) => {
      expect(readWords(words.map(quoteArgument).join(" "))).toEqual(words);
    }),
  );
});

it.each([
  ["uv run  python3", ["uv", "run", "python3"]],
  [`a "b c" 'd e' f\\ g "h\\"i"`, ["a", "b c", "d e", "f g", 'h"i']],
  ["--name='my run'.sif", ["--name=my run.sif"]],
  ["", []],
  ["'open", undefined],
  ["trailing\\", undefined],
])("reads %s", (line, words) => expect(readWords(line)).toEqual(words));
