import { expect, it } from "vitest";
import { root } from "#server/start/root.ts";
import { listTestFiles } from "./soak.ts";

const { all, soak, onlySoak } = listTestFiles(root);

it("the soak loads every file that names it, and no other", () => {
  expect(onlySoak).toContain("server/engine/orchestrator/chaos.test.ts");
  expect(soak).toEqual(expect.arrayContaining(onlySoak));
  expect(soak).toContain("trainer/run/reproducibility.test.ts");
  expect(soak).not.toContain("packages/base/turns.test.ts");
});

/** Returns the room of a file, as STYLE.md defines rooms. */
const roomOf = (path: string) => /^((server\/(domain|engine)|packages|trainer|server)\/)?[^/]+/.exec(path)?.[0];

it("npm test keeps a test file of every room", () => {
  const kept = all.filter((path) => !onlySoak.includes(path));
  expect(new Set(kept.map(roomOf))).toEqual(new Set(all.map(roomOf)));
  expect(new Set(all.map(roomOf)).size).toBeGreaterThan(30);
});
