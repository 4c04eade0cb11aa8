import { expect, it } from "vitest";
import { reasonOf } from "./reasonOf.ts";

it.each([
  ["equals difflib's (needs python3)", undefined, "python3"],
  ["through a real Slurm (skipped: no slurmctld) > ends", undefined, "no slurmctld"],
  ["in chaos (needs /proc) > declares nobody dead (needs CI: it takes minutes)", undefined, "CI: it takes minutes"],
  ["fills a disk", "mounting takes root", "mounting takes root"],
  ["just so", undefined, undefined],
  ["just so (twice)", "", undefined],
])("knows why %j was skipped with the note %j: %j", (title, note, reason) => {
  expect(reasonOf(title, note)).toBe(reason);
});
