import { expect, it } from "vitest";
import { loadPython } from "#trainer/python/loadPython.ts";
import { BugFamily } from "#trainer/spec/environments/sweGym.ts";
import { runProbes } from "../checking/probe.ts";
import { libraries } from "../library/repos.ts";
import { bugsOf, candidatesOf, keyOf } from "./bugs.ts";
import hidden from "./hiddenBugs.json" with { type: "json" };

const python = await loadPython();
const families = [...BugFamily.options, "wrong_callee"] as const;

/** Maps each key to the indices of the candidates that no call shows, found by execution. */
function findHidden(hops: readonly number[]): Record<string, string> {
  const keys = hops.flatMap((count) =>
    Object.keys(libraries).flatMap((repo) => families.map((family) => [repo, count, family] as const)),
  );
  const found = keys.map((key) => {
    const candidates = candidatesOf(...key);
    const results = runProbes(
      python,
      candidates.map(({ draft }) => draft.probe),
    );
    const indices = candidates.flatMap(({ draft }, i) => (draft.finish(results[i]) === undefined ? [i] : []));
    return [keyOf(...key), indices.join(" ")] as const;
  });
  return Object.fromEntries(found.filter(([, indices]) => indices !== ""));
}

it("stored indices of bugs that no call shows equal those found by execution", { tags: "soak" }, async () => {
  const stored = Object.entries(hidden);
  expect(findHidden([0, 1, 2])).toEqual(Object.fromEntries(stored));
  expect(stored.length).toBeGreaterThan(5);
});

it("every repository without hops has bugs of several families", () => {
  for (const repo of Object.keys(libraries)) {
    expect(families.filter((family) => bugsOf(repo, 0, family).length > 0).length).toBeGreaterThan(3);
  }
});
