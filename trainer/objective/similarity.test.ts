import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { split, type Rng } from "#trainer/spec/rng.ts";
import { gigpo } from "./gigpo.ts";
import { makeClustering, matchRatio } from "./similarity.ts";
import { makeRow } from "./testing/makeRow.ts";

describe("the ratio of matching blocks", () => {
  it.each([
    { a: "", b: "", ratio: 1, title: "two empty texts are equal" },
    { a: "", b: "abc", ratio: 0, title: "nothing has nothing in common with something" },
    { a: "same", b: "same", ratio: 1, title: "equal texts" },
    { a: "abcd", b: "wxyz", ratio: 0, title: "no character in common" },
    // The textbook example: the longest common block is WIKIM, and IA matches to its right, so the ratio is 2 · 7 / 18.
    { a: "WIKIMEDIA", b: "WIKIMANIA", ratio: 14 / 18, title: "Ratcliff and Obershelp's example" },
    { a: "abcd", b: "bcde", ratio: 0.75, title: "a shift by one" },
    { a: "tide", b: "diet", ratio: 0.25, title: "the order of the texts matters: tide in diet" },
    { a: "diet", b: "tide", ratio: 0.5, title: "the order of the texts matters: diet in tide" },
    { a: "x√y", b: "x√z", ratio: 2 / 3, title: "characters, not bytes" },
  ])("$title", ({ a, b, ratio }) => expect(matchRatio(a, b)).toBeCloseTo(ratio, 12));

  it("of long texts, frequent characters start no block", () => {
    const frequent = "ab".repeat(100);
    expect(matchRatio(frequent, frequent)).toBe(1);
    // After a shift by one character, the texts differ from the start, and there is no rare character that can begin a
    // block.
    expect(matchRatio(`b${frequent}`, frequent)).toBe(0);
    const short = "ab".repeat(50);
    expect(matchRatio(`b${short}`, short)).toBeCloseTo(200 / 201, 12);
  });
});

/** Similarity ratios computed by Python's difflib, for all pairs in one process. */
function difflibRatios(pairs: readonly (readonly [string, string])[]): number[] {
  const program = `import sys, json, difflib
print(json.dumps([difflib.SequenceMatcher(None, a, b).ratio() for a, b in json.load(sys.stdin)]))`;
  const output = execFileSync("python3", ["-c", program], { input: JSON.stringify(pairs), encoding: "utf8" });
  return output
    .trim()
    .slice(1, -1)
    .split(",")
    .map((text) => Number(text));
}

function hasPython(): boolean {
  try {
    execFileSync("python3", ["-c", "import difflib"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const vocabulary = "you are in the middle of a room looking quickly around see bed desk lamp shelf # _ O √ X P S".split(
  " ",
);

/** A random text of up to `numWords` words, and a copy in which a few words are replaced. */
function randomPair(rng: Rng, numWords: number): [string, string] {
  const word = (): string => vocabulary[rng.int(vocabulary.length)] ?? "";
  const words = Array.from({ length: 1 + rng.int(numWords) }, word);
  const numChanges = rng.int(6);
  let other = words;
  for (let i = 0; i < numChanges; i++) other = other.toSpliced(rng.int(other.length + 1), rng.int(2), word());
  return [words.join(" "), other.join(" ")];
}

it.skipIf(!hasPython())("equals difflib's on 300 random pairs of short and of long texts (needs python3)", () => {
  const rng = split("similarity");
  const pairs = Array.from({ length: 300 }, (_, i) => randomPair(rng, i % 2 === 0 ? 12 : 80));
  expect(pairs.filter(([, b]) => b.length >= 200).length).toBeGreaterThan(50);
  const expected = difflibRatios(pairs);
  for (const [i, [a, b]] of pairs.entries()) expect(matchRatio(a, b)).toBeCloseTo(expected[i] ?? NaN, 12);
});

describe("clusters", () => {
  it("take each text into the first whose representative it resembles", () => {
    const clusterOf = makeClustering(0.75);
    // cdef resembles bcde, but bcde is no representative, and cdef does not resemble the representative abcd enough.
    expect(["abcd", "bcde", "cdef", "abcd", "defg"].map(clusterOf)).toEqual(["abcd", "abcd", "cdef", "abcd", "cdef"]);
  });

  it("at threshold 1 are equal texts, as the cheap bounds alone would not tell", () => {
    const clusterOf = makeClustering(1);
    expect(["tide", "diet", "tide"].map(clusterOf)).toEqual(["tide", "diet", "tide"]);
  });

  it("are those that the ratio alone would make", () => {
    const rng = split("clusters");
    const texts = Array.from({ length: 40 }, () => randomPair(rng, 8)).flat();
    const clusterOf = makeClustering(0.8);
    const representatives: string[] = [];
    for (const text of texts) {
      const expected = representatives.find((own) => matchRatio(text, own) >= 0.8) ?? text;
      if (expected === text && !representatives.includes(text)) representatives.push(text);
      expect(clusterOf(text)).toBe(expected);
    }
  });
});

describe("GiGPO by similarity", () => {
  const options = { scale: "none", samples: "turns", stepWeight: 2, gamma: 1, invalidActionPenalty: 0 } as const;
  const rows = ["door is open", "door is ajar", "door is opem"].map((anchor, episode) =>
    makeRow({ episode, anchor, reward: [0, 4, 2][episode] ?? NaN }),
  );
  const scores = Float64Array.of(0, 0, 0);

  it("compares turns of similar states, worked by hand", () => {
    // The first and the last state differ in one character of twelve, so they form a step group with returns 0 and 2.
    expect([...gigpo(rows, scores, { ...options, similarity: 0.9 })]).toEqual([-2, 0, 2]);
    expect([...gigpo(rows, scores, { ...options, similarity: null })]).toEqual([0, 0, 0]);
    expect([...gigpo(rows, scores, { ...options, similarity: 0.5 })]).toEqual([-4, 4, 0]);
  });

  it("does not compare similar states of different tasks", () => {
    const apart = rows.map((row, group) => ({ ...row, group }));
    expect([...gigpo(apart, scores, { ...options, similarity: 0.5 })]).toEqual([0, 0, 0]);
  });
});
