import { describe, expect, it } from "vitest";
import { BugFamily } from "#trainer/spec/environments/sweGym.ts";
import { joinCode, splitCode } from "../language/code.ts";
import { linesOf, makeFunctions } from "../library/function.ts";
import { commonModules, libraries } from "../library/repos.ts";
import { mutationsOf } from "./mutate.ts";

const functions = [...Object.values(libraries), ...commonModules].flatMap((library) => library.functions);
const families = [...BugFamily.options, "wrong_callee"] as const;

describe("bugs", () => {
  const [source] = makeFunctions({
    "pay(items: numbers, start: small, limit: small)": `let total = 0;
for (const item of items) if (item > start && item < limit) total += Math.max(item - 1, start);
return total;`,
  });
  it.each([
    ["off_by_one", ["let total = 1;", "item >= start", "item <= limit", "Math.max(item, start)"]],
    ["wrong_operator", ["||", "total -=", "item + 1"]],
    ["flipped_comparison", ["item < start", "item > limit"]],
    ["wrong_constant", ["total = 1", "total = 2", "item - 0", "item - 2"]],
    ["swapped_arguments", ["Math.max(start, item - 1)"]],
    ["missing_guard", ["if (item > start) total", "if (item < limit) total", "total += item - 1;"]],
    ["wrong_default", ["let total = 2;"]],
    ["missing_update", ["total = Math.max"]],
    ["missing_return", ["  total;"]],
    ["wrong_callee", ["Math.min(item - 1, start)"]],
  ] as const)("%s", (family, parts) => {
    const lines = source ? mutationsOf(source, family).map(({ line }) => line) : [];
    for (const part of parts) expect(lines.some((line) => line.includes(part))).toBe(true);
    expect(lines).toHaveLength(parts.length);
  });

  it("wrong_variable: one that is known there, of the same kind where kinds are known", () => {
    const lines = source ? mutationsOf(source, "wrong_variable").map(({ line }) => line) : [];
    expect(lines).toContain("  return limit;");
    expect(lines).not.toContain("  return item;");
    expect(lines.some((line) => line.includes("of start") || line.includes("< items"))).toBe(false);
  });

  it("change one line, and not the header", () => {
    for (const own of functions) {
      for (const mutation of families.flatMap((family) => mutationsOf(own, family))) {
        const lines = linesOf(own);
        expect(mutation.lineIndex).toBeGreaterThan(0);
        expect(mutation.line).not.toBe(lines[mutation.lineIndex]);
        expect(joinCode(splitCode(mutation.line))).toBe(mutation.line.trim());
      }
    }
  });
});

describe("the library", () => {
  it("is formatted as the codec expects, every name once a repository", () => {
    for (const line of functions.flatMap((own) => linesOf(own))) expect(joinCode(splitCode(line))).toBe(line.trim());
    for (const library of Object.values(libraries)) {
      const names = [...library.functions, ...commonModules.flatMap((module) => module.functions)].map(
        ({ name }) => name,
      );
      expect(new Set(names).size).toBe(names.length);
    }
  });

  it("has every family in every second repository, and six functions in each", () => {
    for (const family of families) {
      const having = Object.values(libraries).filter((library) =>
        library.functions.some((own) => mutationsOf(own, family).length > 0),
      );
      expect(having.length, family).toBeGreaterThanOrEqual(5);
    }
    for (const library of Object.values(libraries)) expect(library.functions).toHaveLength(6);
  });
});
