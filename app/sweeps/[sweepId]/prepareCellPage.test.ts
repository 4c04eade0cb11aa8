import { expect, it } from "vitest";
import { maxWhole, prepareCellPage } from "./prepareCellPage.ts";

const cells = Array.from({ length: 500 }, (_, i) => ({
  id: i,
  method: i % 2 === 0 ? "GRPO" : "GSPO",
  label: `learningRate ${Math.floor(i / 2)}e-4`,
}));
const first = { words: "", page: 0 };

it("shows a sweep of usual size whole, whatever was looked for", () => {
  const few = cells.slice(0, maxWhole);
  expect(prepareCellPage(few, { words: "gspo", page: 3 })).toMatchObject({ shown: few, numPages: 1, page: 0 });
});

it("cuts a large one into pages, in order and without gaps", () => {
  const { numPages } = prepareCellPage(cells, first);
  const all = Array.from({ length: numPages }, (_, page) => prepareCellPage(cells, { words: "", page }).shown).flat();
  expect(all).toEqual(cells);
});

it("finds configurations by words of their names, and stays on a page that there is", () => {
  const found = prepareCellPage(cells, { words: " gspo 7e-4 ", page: 99 });
  expect(found.shown.length).toBeGreaterThan(0);
  expect(found.page).toBe(found.numPages - 1);
  for (const { method, label } of found.shown) expect(`${method} ${label}`).toMatch(/^GSPO .*7e-4$/);
  expect(prepareCellPage(cells, { words: "nothing", page: 0 })).toMatchObject({ shown: [], numFound: 0, numPages: 1 });
});
