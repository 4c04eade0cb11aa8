import { array, assert, bigInt, dictionary, double, jsonValue, oneof, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { packLines, unpackLines } from "./packedLines.ts";

const max = 1e6;
const roundTrip = (lines: readonly string[]) => unpackLines(JSON.parse(JSON.stringify(packLines(lines))), max);

describe("packed lines", () => {
  it("come back to the last character, whatever they are", () => {
    const value = oneof(jsonValue({ maxDepth: 3 }), double(), bigInt().map(String), string());
    const line = oneof(
      dictionary(string(), value).map((object) => JSON.stringify(object)),
      string().map((text) => text.replaceAll("\n", "")),
      double().map((x) => `{"a":${x},"b":[${x},-0,1.50,1e5,12345678901234567890]}`),
    );
    assert(
      property(array(line, { maxLength: 20 }), (lines) => {
        expect(roundTrip(lines)).toEqual(lines);
      }),
    );
  });

  it.each([
    ["integers stay numbers", ["1", "-7", "0"], [1, -7, 0]],
    ["doubles become bytes, by their place", ["0.5", "2"], "P0DgAAAAAAAAAAAAAAAAAA=="],
    ["other spellings stay text", ["-0", "1.50", "1e5"], ["-0", "1.50", "1e5"]],
  ])("%s", (_, numbers, column) => {
    const lines = numbers.map((x) => `{"values":{"loss/total":${x}}}`);
    expect(packLines(lines)).toEqual({
      texts: [['{"values":{"loss/total":', "}}"]],
      order: lines.map(() => 0),
      columns: [["loss/total", column]],
    });
    expect(roundTrip(lines)).toEqual(lines);
  });

  it("are refused if a column ends early, a text is missing, or they are longer than allowed", () => {
    const packed = packLines(['{"a":1}', '{"a":2}']);
    expect(() => unpackLines({ ...packed, columns: [["a", [1]]] }, max)).toThrow("the numbers of “a” end early");
    expect(() => unpackLines({ ...packed, columns: [] }, max)).toThrow("the numbers of “a” end early");
    expect(() => unpackLines({ ...packed, order: [1] }, max)).toThrow("text 1 of 1 is missing");
    expect(() => unpackLines(packed, 13)).toThrow("more than 13 characters");
  });
});
