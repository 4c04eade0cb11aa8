import { describe, expect, it, test } from "vitest";
import type { RunEvent } from "#trainer/spec/event.ts";
import { maxLineBytes, parseLines, toLogUpdate } from "./toLogUpdate.ts";

function updateOf(lines: readonly { iteration: number; values: Record<string, number> }[]) {
  const events = lines.map(({ iteration, values }, seq) => {
    const event: RunEvent = { v: 1, seq, atMs: 0, type: "metrics", iteration, optimizerStep: 0, values };
    return { event, offset: seq, text: "" };
  });
  return toLogUpdate({ events, rejected: [], consumedBytes: 0 }, { logOffset: 0, lastSeq: -1, numMetricLines: 0 });
}

test("epochs of cloning and of rejection fine-tuning are no iterations of training", () => {
  const epochs = [
    { iteration: 1, values: { "clone/loss": 2 } },
    { iteration: 2, values: { "rejection/keptEpisodes": 3, "clone/loss": 1 } },
    { iteration: 3, values: { "rejection/keptEpisodes": 0 } },
  ];
  expect(updateOf(epochs).latestIteration).toBeNull();
  expect(updateOf([...epochs, { iteration: 0, values: { "evaluation/successRate": 0 } }]).latestIteration).toEqual({
    raiseTo: 0,
  });
});

const note = (seq: number) => JSON.stringify({ v: 1, seq, atMs: 5, type: "note", level: "info", text: "höhe" });
const parse = (text: string, isFinal = false) => parseLines(new TextEncoder().encode(text), { offset: 100, isFinal });
const seqs = (parsed: ReturnType<typeof parse>) => parsed.events.map(({ event }) => event.seq);

describe("parseLines", () => {
  it("leaves a torn last line unread, wherever it is torn", () => {
    const whole = new TextEncoder().encode(`${note(0)}\n${note(1)}\n`);
    const first = new TextEncoder().encode(`${note(0)}\n`).length;
    for (let length = 0; length < whole.length; length++) {
      const parsed = parseLines(whole.subarray(0, length), { offset: 0, isFinal: false });
      expect(parsed.consumedBytes).toBe(length < first ? 0 : first);
      expect(parsed.rejected).toEqual([]);
    }
  });

  it("counts offsets in bytes, not characters", () => {
    const parsed = parse(`${note(0)}\nhöhe\n${note(1)}\n`);
    expect(parsed.rejected[0]?.offset).toBe(100 + new TextEncoder().encode(`${note(0)}\n`).length);
    expect(seqs(parsed)).toEqual([0, 1]);
  });

  it.each([
    ["Killed", "not JSON"],
    ["{", "not JSON"],
    ["null", "Invalid input"],
    ['{"v":2,"seq":0,"atMs":0,"type":"note","level":"info","text":""}', "v:"],
    ['{"v":1,"seq":0,"atMs":0,"type":"surprise"}', "type:"],
    ['{"v":1,"seq":0,"atMs":0,"type":"metrics","iteration":0,"optimizerStep":0,"values":{"a":null}}', "values.a:"],
  ])("sets %s aside and reads on", (line, problem) => {
    const parsed = parse(`${line}\n${note(3)}\n`);
    expect(parsed.rejected).toEqual([{ offset: 100, text: line, problem: expect.stringContaining(problem) }]);
    expect(seqs(parsed)).toEqual([3]);
  });

  it("reads bytes that are no UTF-8 as a foreign line", () => {
    const parsed = parseLines(new Uint8Array([0xff, 0xfe, 0, 10]), { offset: 0, isFinal: false });
    expect(parsed.rejected).toHaveLength(1);
    expect(parsed.consumedBytes).toBe(4);
  });

  it("passes over empty lines", () => {
    expect(parse(`\n\n${note(0)}\n\n`)).toMatchObject({ rejected: [], events: [{ offset: 102 }] });
  });

  it("judges the last line when nothing more will come", () => {
    expect(parse(`${note(0)}\n${note(1)}`, true)).toMatchObject({ rejected: [], events: [{}, {}] });
    expect(parse(`${note(0)}\n{"v":1,"se`, true).rejected[0]?.problem).toBe("not JSON");
  });

  it("does not wait for ever for the end of a line", () => {
    const parsed = parse("x".repeat(maxLineBytes));
    expect(parsed.consumedBytes).toBe(maxLineBytes);
    expect(parsed.rejected[0]?.problem).toBe(`longer than ${maxLineBytes} bytes`);
  });
});
