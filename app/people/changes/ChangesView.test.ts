import { expect, test } from "vitest";
import { joinRepeated, sumUp } from "./ChangesView.tsx";

test("changes are counted by person, and refused ones stated", () => {
  const by = (who: string, problem: string | null = null) => ({ who, problem });
  expect(sumUp([by("Ada")], false)).toBe("1 change: 1 by Ada; none refused.");
  expect(sumUp([by("Ada")], true)).toBe("1 change on this page: 1 by Ada; none refused.");
  expect(sumUp([by("Ada"), by("browser"), by("browser", "no"), by("a"), by("b")], false)).toBe(
    "5 changes: 2 by the browser, 1 by Ada, 1 by a, 1 by others; 1 refused.",
  );
});

test("changes that one person repeats in a row are one line, and refused ones another", () => {
  const told = (id: number, who: string, text: string, problem: string | null = null) => {
    return { id, at: new Date(0), who, action: "", subject: "", problem, sentence: [{ text }] };
  };
  const entries = [told(5, "a", "x"), told(4, "a", "x"), told(3, "a", "x", "no"), told(2, "b", "x"), told(1, "a", "x")];
  expect(joinRepeated(entries).map(({ id, times }) => [id, times])).toEqual([
    [5, 2],
    [3, 1],
    [2, 1],
    [1, 1],
  ]);
});
