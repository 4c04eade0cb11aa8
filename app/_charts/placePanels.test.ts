import { expect, it } from "vitest";
import { placePanels } from "./placePanels.ts";

const panel = (height: number) => ({ width: 400, height });

it("stands panels in rows of two, under the highest of the row above", () => {
  expect(placePanels([panel(260), panel(300), panel(260)])).toEqual({
    places: [
      { x: 0, y: 0 },
      { x: 412, y: 0 },
      { x: 0, y: 312 },
    ],
    width: 812,
    height: 572,
  });
});

it("is as large as one panel where there is one, and nothing where there is none", () => {
  expect(placePanels([panel(260)])).toMatchObject({ width: 400, height: 260 });
  expect(placePanels([])).toEqual({ places: [], width: 0, height: 0 });
});
