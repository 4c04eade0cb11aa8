import { expect, it } from "vitest";
import { identify, sayEqual, sortOut } from "./sortOut.ts";

const file = (name: string, content: string) => ({ name, content });
const namesOf = (files: readonly { name: string }[]) => files.map(({ name }) => name);

it("keeps files of equal content under different paths, such as seeds that never succeed, and says so", () => {
  const files = [file("runs/s0.jsonl", "zeros"), file("runs/s1.jsonl", "zeros"), file("runs/s2.jsonl", "other")];
  const { fresh, equal } = sortOut(files, new Map());
  expect(namesOf(fresh)).toEqual(["runs/s0.jsonl", "runs/s1.jsonl", "runs/s2.jsonl"]);
  expect(new Set(fresh.map(({ hash }) => hash)).size).toBe(3);
  expect(sayEqual(equal)).toEqual([
    "runs/s1.jsonl: has the same content as runs/s0.jsonl, read as a file of its own; leave it out if it is a copy",
  ]);
});

it("leaves out a path that is given twice, and a file that was imported before", () => {
  const files = ["a", "a", "b", "c"].map((name) => file(name, "zeros"));
  const imported = new Map([[identify(file("b", "zeros")), { sweepId: "s", sweepName: "Zeros" }]]);
  const { fresh, left } = sortOut(files, imported);
  expect(namesOf(fresh)).toEqual(["a", "c"]);
  expect(left).toEqual([
    { file: "a", reason: "is given twice, read once" },
    { file: "b", reason: "was imported before, into Zeros (s)" },
  ]);
});
