import * as fc from "fast-check";
import { expect, test } from "vitest";
import { AppError } from "./errors.ts";
import { fromWire, toWire } from "./wire.ts";

const key = fc.oneof(fc.string(), fc.constantFrom("$", "v", "__proto__", "number", "date"));
// Adding 0 turns −0 into 0, because JSON has no negative zero and no value depends on its sign.
const number = fc.double().map((x) => x + 0);
const values = [
  number,
  fc.string({ unit: "binary" }),
  fc.boolean(),
  fc.constantFrom(null, "$", "date"),
  fc.date({ noInvalidDate: true }),
  fc.array(fc.double()).map((array) => Float64Array.from(array)),
  fc.int32Array(),
];
const plain = fc.object({ key, values, maxDepth: 4, withNullPrototype: false });

test("whatever plain data leaves arrives, with keys of the wire's own among its keys", () => {
  fc.assert(
    fc.property(plain, (value) => {
      expect(fromWire(JSON.parse(JSON.stringify(toWire(value))))).toEqual(value);
    }),
    { numRuns: 200 },
  );
});

test("a message from elsewhere becomes a value or is refused by name", () => {
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.object({ key, values: [fc.jsonValue()] })), (message) => {
      try {
        fromWire(message);
      } catch (error) {
        expect(error).toBeInstanceOf(AppError);
      }
    }),
    { numRuns: 200 },
  );
});
