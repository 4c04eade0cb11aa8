import { expect, it } from "vitest";
import { chooseBase, fitTests, nearestTests } from "./checkAll.ts";

it.each([
  ["a branch with commits", { "merge-base": "abc", diff: " a.ts | 2 +-", "ls-files": "" }, "abc"],
  ["a new file alone", { "merge-base": "abc", diff: "", "ls-files": "new.ts" }, "abc"],
  ["nothing new", { "merge-base": "abc", diff: "", "ls-files": "" }, "HEAD~1"],
  ["no origin", {}, "HEAD~1"],
])("compares %s with the right commit", (_, answers: Record<string, string>, base) => {
  expect(chooseBase(([command = ""]) => answers[command])).toBe(base);
});

const sources = new Map(
  Object.entries({
    "server/leaf.ts": "export const leaf = 1;",
    "server/leaf.test.ts": 'import { leaf } from "./leaf.ts";',
    "server/middle.ts": 'export {\n  leaf,\n  type Leaf,\n} from "./leaf.ts";',
    "server/types.test.ts": 'import type { Leaf } from "./leaf.ts";\nexport type { Leaf } from "./leaf.ts";',
    "app/far.test.tsx": 'import { page } from "./page.tsx";',
    "app/page.tsx": 'import type { Leaf } from "#server/leaf.ts";\nimport { leaf } from "#server/middle.ts";',
    "app/lazy.test.ts": 'const { leaf } = await import("../server/leaf.ts");',
    "app/effect.test.ts": 'import "#server/middle.ts";',
    "other/unrelated.test.ts": 'import { leaf } from "leaf";',
  }),
);

it("finds tests by imports, the nearest first, and none by imports of types", () => {
  expect(nearestTests(["server/leaf.ts"], sources)).toEqual([
    "server/leaf.test.ts",
    "app/lazy.test.ts",
    "app/effect.test.ts",
    "app/far.test.tsx",
  ]);
});

it("follows a package through its entry", () => {
  const files = new Map(
    Object.entries({
      "packages/maths/mean.ts": "export const mean = 1;",
      "packages/maths/index.ts": 'export { mean } from "./mean.ts";',
      "server/uses.test.ts": 'import { mean } from "#packages/maths";',
    }),
  );
  expect(nearestTests(["packages/maths/mean.ts"], files)).toEqual(["server/uses.test.ts"]);
});

it("begins with a changed test, and finds nothing for what no module imports", () => {
  expect(nearestTests(["server/types.test.ts", "server/middle.ts"], sources)[0]).toBe("server/types.test.ts");
  expect(nearestTests(["README.md", "gone.ts"], sources)).toEqual([]);
});

it("runs changed tests however long they take, and the nearest others for 20 s", () => {
  const times = new Map([
    ["changed.test.ts", 90_000],
    ["near.test.ts", 15_000],
    ["long.test.ts", 18_000],
    ["far.test.ts", 2000],
  ]);
  const tests = ["changed.test.ts", "near.test.ts", "long.test.ts", "new.test.ts", "far.test.ts", "farther.test.ts"];
  const chosen = ["changed.test.ts", "near.test.ts", "new.test.ts", "far.test.ts"];
  expect(fitTests(tests, { changed: ["changed.test.ts"], times })).toEqual(chosen);
});
