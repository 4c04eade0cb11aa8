import { expect, test } from "vitest";
import { actionTypes, letterOf, typesIn } from "./actionTypes.ts";
import {
  countBehaviour,
  firstDivergence,
  readTrace,
  repeatedNgrams,
  tracePattern,
  transitionEntropy,
  writeTrace,
} from "./trace.ts";

const turn = (anchor: string, action: string, isValid = true) => ({
  anchor,
  action,
  isFormatValid: isValid,
  isActionValid: isValid,
});

test("a trace has the type of every action, known states in upper case, and repeated actions with an asterisk", () => {
  const trace = writeTrace(
    "webshop",
    [
      turn("home", "search[red shoe]"),
      turn("results 1", "click[next >]"),
      turn("results 2", "click[< prev]"),
      turn("results 1", "click[next >]"),
      turn("results 2", "click[b07abcdefg]"),
      turn("shoe", "click[large]"),
      turn("shoe", "buy it", false),
      turn("shoe", "click[buy now]"),
    ],
    "ended",
  );
  expect(trace).toBe("snpN*IoXB-");
  expect(trace).toMatch(tracePattern);
  const read = readTrace(trace);
  expect(read.letters.join("")).toBe("snpnioxb");
  expect(read.revisits).toEqual([false, false, false, true, true, false, true, true]);
  expect(read.repeats).toEqual([false, false, false, true, false, false, false, false]);
  expect(read.ending).toBe("ended");
});

test("counts of two sets of episodes add up to the counts of both", () => {
  const [a, b] = [
    ["snpN*IoXB-", "sib+"],
    ["sib+", "snnnn~"],
  ];
  const [one, two, both] = [countBehaviour(a), countBehaviour(b), countBehaviour([...a, ...b])];
  for (const key of ["episodes", "turns", "revisits", "repeats", "earlyEnds"] as const) {
    expect(both[key]).toBe(one[key] + two[key]);
  }
  expect(both.sequences.size).toBe(3);
  for (const [pair, n] of both.transitions) {
    expect(n).toBe((one.transitions.get(pair) ?? 0) + (two.transitions.get(pair) ?? 0));
  }
  expect(both.transitions.get("si")).toBe(2);
  expect(both.transitions.get("nn")).toBe(3);
});

test("episodes of one task diverge at the first turn in which their types differ, or where the shortest ends", () => {
  expect(firstDivergence(["sib+", "sipI*-", "sibx~"])).toBe(2);
  expect(firstDivergence(["si-", "sib+"])).toBe(2);
  expect(firstDivergence(["sib+", "sib-"])).toBe(3);
});

test("the entropy of transitions is that of the next type, weighted by the frequency of the type before", () => {
  // From s: 1 of 2 each, log 2. From n: always p, 0. Weights 2 : 2.
  const entropy = transitionEntropy(
    new Map([
      ["sn", 1],
      ["si", 1],
      ["np", 2],
    ]),
  );
  expect(entropy).toBeCloseTo(Math.log(2) / 2, 12);
  expect(transitionEntropy(new Map())).toBe(0);
});

test("repeated 4-grams are counted within a response", () => {
  expect(repeatedNgrams([1, 2, 3])).toBeUndefined();
  expect(repeatedNgrams([1, 2, 3, 4, 5])).toBe(0);
  // Seven 4-grams of 1 2 1 2 1 2 1 2 1 2, of which two differ.
  expect(repeatedNgrams([1, 2, 1, 2, 1, 2, 1, 2, 1, 2])).toBeCloseTo(1 - 2 / 7, 12);
});

test("letters are unique within an environment, and every type has a sentence", () => {
  for (const id of Object.keys(actionTypes)) {
    const types = typesIn(id);
    expect(new Set(types.map(({ letter }) => letter)).size).toBe(types.length);
    expect(types.every(({ letter, meaning }) => /^[a-z]$/.test(letter) && meaning.endsWith("."))).toBe(true);
  }
});

test("actions that no pattern matches are invalid", () => {
  expect(letterOf(typesIn("webshop"), "dance")).toBe("x");
  expect(letterOf(typesIn("unknown"), "search[a]")).toBe("x");
  expect(letterOf(typesIn("sweGym"), "str_replace_editor view src/a.py")).toBe("v");
  expect(letterOf(typesIn("sweGym"), "str_replace_editor str_replace src/a.py")).toBe("e");
});
