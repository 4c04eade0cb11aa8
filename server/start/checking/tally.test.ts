import { describe, expect, it } from "vitest";
import { addUp, counted, firstLine, listSlowest, toSentence } from "./tally.ts";

describe("what a test run says of itself", () => {
  it("adds the counts of all steps up", () => {
    const total = addUp([
      { passed: 1, failed: 0, skipped: 0 },
      { passed: 40, failed: 2, skipped: 3 },
    ]);
    expect(toSentence(total)).toBe("41 passed, 2 failed, 3 skipped");
  });

  it("counts a runner that died without naming a test as one failure, and no failure twice", () => {
    expect(counted(1, { passed: 7, failed: 0, skipped: 0 }).failed).toBe(1);
    expect(counted(1, { passed: 7, failed: 2, skipped: 0 }).failed).toBe(2);
    expect(counted(0, { passed: 7, failed: 0, skipped: 0 }).failed).toBe(0);
  });

  it("takes the first line of an error, without colours", () => {
    expect(firstLine("\u001b[31mexpected 1\u001b[39m\n  at a.ts")).toBe("expected 1");
  });

  it("lists the ten slowest files, the slowest first", () => {
    const files = Array.from({ length: 12 }, (_, i) => ({ file: `f${i}`, ms: 1000 * i }));
    const lines = listSlowest(files);
    expect(lines).toHaveLength(10);
    expect([lines[0], lines[9]]).toEqual(["   11.0 s  f11", "    2.0 s  f2"]);
  });
});
