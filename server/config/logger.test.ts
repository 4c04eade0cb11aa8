import { expect, test } from "vitest";
import { makeLogger } from "./logger.ts";

test("writes one line with level, name, message and the fields that have a value", () => {
  const lines: string[] = [];
  makeLogger("tick", (line) => lines.push(line)).warn("node is silent", { node: "a b", sinceMs: 12, why: undefined });
  expect(lines.map((line) => line.slice(25))).toEqual(['warn  tick: node is silent node="a b" sinceMs=12']);
});
