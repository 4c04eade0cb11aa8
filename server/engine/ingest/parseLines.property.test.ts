import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type ParsedLines, parseLines } from "./toLogUpdate.ts";

const event = fc
  .record({ iteration: fc.nat(), value: fc.double() })
  .map(({ iteration, value }) =>
    JSON.stringify({ v: 1, type: "metrics", t: 0, iteration, optimizerStep: 0, values: { "loss/total": value } }),
  );
const line = fc.oneof(event, fc.json(), fc.string({ unit: "binary" }), fc.constantFrom("", " ", "{", "\r", "null"));
const log = fc.array(line).map((lines) => new TextEncoder().encode(lines.join("\n")));

test("a log that arrives in pieces, cut anywhere, is read as the whole is", () => {
  fc.assert(
    fc.property(log, fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (bytes, shares) => {
      const cuts = shares.map((share) => Math.floor(share * bytes.length)).toSorted((a, b) => a - b);
      expect(readInPieces(bytes, cuts)).toEqual(parseLines(bytes, { offset: 0, isFinal: true }));
    }),
    { numRuns: 150 },
  );
});

test("every byte is read once: events and rejected lines lie in the log where they say", () => {
  fc.assert(
    fc.property(log, (bytes) => {
      const { events, rejected, consumedBytes } = parseLines(bytes, { offset: 0, isFinal: true });
      expect(consumedBytes).toBe(bytes.length);
      const text = new TextDecoder();
      for (const { offset, text: own } of [...events, ...rejected]) {
        const end = bytes.indexOf(10, offset);
        expect(text.decode(bytes.subarray(offset, end === -1 ? bytes.length : end))).toBe(own);
      }
    }),
    { numRuns: 150 },
  );
});

/** Reads a log in pieces as the studio does: unread bytes of one piece are read again with the next piece. */
function readInPieces(bytes: Uint8Array, cuts: readonly number[]): ParsedLines {
  const all: ParsedLines = { events: [], rejected: [], consumedBytes: 0 };
  for (const end of [...cuts, bytes.length]) {
    const isFinal = end === bytes.length;
    const piece = bytes.subarray(all.consumedBytes, end);
    const { events, rejected, consumedBytes } = parseLines(piece, { offset: all.consumedBytes, isFinal });
    all.events.push(...events);
    all.rejected.push(...rejected);
    all.consumedBytes += consumedBytes;
  }
  return all;
}
