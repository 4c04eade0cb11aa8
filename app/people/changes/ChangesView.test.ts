import { expect, test } from "vitest";
import { sumUp } from "./ChangesView.tsx";

test("changes are counted by person, and refused ones stated", () => {
  const by = (who: string, problem: string | null = null) => ({ who, problem });
  expect(sumUp([by("Ada")], false)).toBe("1 change: 1 by Ada; none refused.");
  expect(sumUp([by("Ada")], true)).toBe("1 change on this page: 1 by Ada; none refused.");
  expect(sumUp([by("Ada"), by("browser"), by("browser", "no"), by("a"), by("b")], false)).toBe(
    "5 changes: 2 by the browser, 1 by Ada, 1 by a, 1 by others; 1 refused.",
  );
});
