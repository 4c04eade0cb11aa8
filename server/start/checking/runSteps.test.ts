import { afterEach, expect, it, vi } from "vitest";
import { runLanes } from "./checkAll.ts";

afterEach(() => vi.restoreAllMocks());

const passed = { counts: { passed: 3, failed: 0, skipped: 0 } };

function listen(): string[] {
  const lines: string[] = [];
  vi.spyOn(console, "log").mockImplementation((line: unknown) => void lines.push(String(line)));
  return lines;
}

it("performs every step whatever fails, and shows what a failed check said after all else", async () => {
  const lines = listen();
  const total = await runLanes(
    [
      [
        {
          name: "types",
          perform: async () => ({ counts: { passed: 0, failed: 1, skipped: 0 }, text: "a.ts(1,1): wrong" }),
        },
        { name: "lint", perform: () => Promise.reject(new Error("no linter")) },
        { name: "format", perform: async () => passed },
      ],
      [{ name: "tests", perform: async () => ({ ...passed, files: [{ file: "slow.test.ts", ms: 2000 }] }) }],
    ],
    false,
  );
  expect(total).toEqual({ passed: 6, failed: 2, skipped: 0 });
  expect(lines.at(-3)).toContain("a.ts(1,1): wrong");
  expect(lines.at(-2)).toContain("no linter");
  expect(lines.at(-1)).toBe("\nFailed:\n  types\n  lint\n");
  expect(lines.join("\n")).toMatch(/Slowest test files:\n +2\.0 s {2}slow\.test\.ts/);
});

it("names failed tests last, with the first line of what went wrong", async () => {
  const lines = listen();
  const failures = [{ name: "a.test.ts: adds", error: "expected 1 to be 2" }];
  const counts = { passed: 0, failed: 1, skipped: 0 };
  await runLanes([[{ name: "tests", perform: async () => ({ counts, failures, text: "much" }) }]], false);
  expect(lines.at(-1)).toBe("\nFailed:\n  tests: a.test.ts: adds: expected 1 to be 2\n");
});

it("fails for a skip without a reason only where it is strict", async () => {
  const lines = listen();
  const skips = [
    { name: "a", reason: undefined },
    { name: "b", reason: "no sshd" },
  ];
  const lanes = [[{ name: "tests", perform: async () => ({ ...passed, skips }) }]];
  expect((await runLanes(lanes, false)).failed).toBe(0);
  expect((await runLanes(lanes, true)).failed).toBe(1);
  expect(lines.at(-1)).toBe("\nFailed:\n  skipped without a reason: a\n");
});
