import { describe, expect, it } from "vitest";
import { BugFamily } from "#trainer/spec/environments/sweGym.ts";
import { joinCode, splitCode } from "../language/lexer.ts";
import { linesOf, makeFunctions } from "../library/function.ts";
import { commonModules, libraries } from "../library/repos.ts";
import { mutationsOf } from "./mutate.ts";

const functions = [...Object.values(libraries), ...commonModules].flatMap((library) => library.functions);
const families = [...BugFamily.options, "wrong_callee"] as const;

describe("bugs", () => {
  const [source] = makeFunctions({
    "pay(items: numbers, start: small, limit: small)": `total = 0
for item in items:
    if item > start and item < limit:
        total += max(item - 1, start)
return total`,
  });
  it.each([
    ["off_by_one", ["total = 1", "item >= start", "item <= limit", "max(item, start)"]],
    ["wrong_operator", [" or ", "total -=", "total *=", "item + 1"]],
    ["flipped_comparison", ["item < start", "item > limit"]],
    ["wrong_constant", ["total = 1", "total = 2", "item - 0", "item - 2"]],
    ["swapped_arguments", ["max(start, item - 1)"]],
    ["missing_guard", ["if item > start:", "if item < limit:", "total += item - 1"]],
    ["wrong_default", ["total = 2"]],
    ["missing_update", ["total = max", "total + max"]],
    ["missing_return", ["    total"]],
    ["wrong_callee", ["min(item - 1, start)"]],
  ] as const)("%s", (family, parts) => {
    const lines = source ? mutationsOf(source, family).map(({ line }) => line) : [];
    for (const part of parts) expect(lines.some((line) => line.includes(part))).toBe(true);
    expect(lines).toHaveLength(parts.length);
  });

  it.each([
    ["missing_guard", "return 1 if left > 0 else 2", ["return 1", "return 2"]],
    ["missing_guard", "return [a for a in left if a not in right]", ["return [a for a in left]"]],
    ["missing_guard", "return left.get(right, [])", ["return left.get(right)"]],
    ["missing_guard", "return max(left, default=0) + 1", ["return max(left) + 1"]],
    ["missing_guard", "return max(0, *left)", []],
    ["wrong_default", "return left.get(right[0], 0) + max(left, default=0)", ["left.get(right[0], 1)", "default=1"]],
    ["flipped_comparison", "return left is None", ["return left is not None"]],
    ["flipped_comparison", "return left not in right", ["return left in right"]],
    ["swapped_arguments", "return f(left, *right) + f(left, key=1) + max(a for a in left)", []],
    ["wrong_operator", "return [-1, *left, {**right}, left // 2]", ["left / 2]", "left % 2]"]],
    ["wrong_operator", "return left * 2 + right", ["left / 2 +", "left * 2 -", "left + 2 +", "left * 2 *"]],
    ["off_by_one", "for i in range(len(left)):", ["range(1, len(left))", "range(len(left) - 1)"]],
    ["off_by_one", "for i in range(0, left, 2):", ["range(0, left - 1, 2)"]],
    ["off_by_one", "return [i for i, item in enumerate(left)]", ["enumerate(left, 1)"]],
    ["off_by_one", "return [left[:right], left[2:], left[:]]", ["[:right + 1], ", "left[2 + 1:]"]],
    ["off_by_one", "return left / len(right)", ["left / (len(right) - 1)"]],
    ["missing_update", "left += right", ["left = right", "left + right"]],
    ["missing_update", "left.append(right)", ["left.append"]],
    ["missing_update", "right = left.append(right)", []],
    ["missing_update", "return [*left, right, *right]", ["[right, *right]", "[*left, right]"]],
    ["missing_update", "return {**left, 'a': f(*right)}", ["return {'a': f(*right)}"]],
  ] as const)("%s in `%s`", (family, line, parts) => {
    const [fn] = makeFunctions({ "f(left: record, right: words)": line });
    const lines = fn ? mutationsOf(fn, family).map((mutation) => mutation.line) : [];
    for (const part of parts) expect(lines.some((mutant) => mutant.includes(part))).toBe(true);
    expect(lines).toHaveLength(parts.length);
  });

  it("wrong_variable: one that is known there, of the same kind where kinds are known", () => {
    const lines = source ? mutationsOf(source, "wrong_variable").map(({ line }) => line) : [];
    expect(lines).toContain("    return limit");
    // Excluded mutations: a variable used after its loop, a variable used in the iterable of its own loop, and a list
    // in place of a number.
    expect(lines).not.toContain("    return item");
    expect(lines).toContain("        if item > limit and item < limit:");
    expect(lines.some((line) => line.includes("in start") || line.includes("< items"))).toBe(false);
  });

  it("change one line, and not the header", () => {
    for (const fn of functions) {
      for (const mutation of families.flatMap((family) => mutationsOf(fn, family))) {
        const lines = linesOf(fn);
        expect(mutation.lineIndex).toBeGreaterThan(0);
        expect(mutation.line).not.toBe(lines[mutation.lineIndex]);
        expect(joinCode(splitCode(mutation.line))).toBe(mutation.line.trim());
      }
    }
  });
});

describe("the library", () => {
  it("is formatted as the codec expects, every name once a repository", () => {
    for (const line of functions.flatMap((fn) => linesOf(fn))) expect(joinCode(splitCode(line))).toBe(line.trim());
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
        library.functions.some((fn) => mutationsOf(fn, family).length > 0),
      );
      expect(having.length, family).toBeGreaterThanOrEqual(5);
    }
    for (const library of Object.values(libraries)) expect(library.functions).toHaveLength(6);
  });
});
