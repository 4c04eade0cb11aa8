import { expect, it } from "vitest";
import { labelColumns, labelsThatDiffer } from "./labels.ts";

it("leaves out what all that is shown together shares", () => {
  expect(labelsThatDiffer(["lr 1e-4, KL 0.01", "lr 3e-4, KL 0.01"])).toEqual(["lr 1e-4", "lr 3e-4"]);
  expect(labelsThatDiffer(["lr 1e-4", "lr 1e-4"])).toEqual(["", ""]);
  expect(labelsThatDiffer(["lr 1e-4", ""])).toEqual(["lr 1e-4", ""]);
  expect(labelsThatDiffer(["lr 1e-4, KL 0"])).toEqual(["lr 1e-4, KL 0"]);
});

it("makes columns of two settings and more", () => {
  expect(labelColumns(["lr 1e-4, KL 0", "lr 3e-4, KL off", "KL 0, weight decay 0.1"])).toEqual({
    names: ["lr", "KL", "weight decay"],
    rows: [
      { values: ["1e-4", "0", ""], rest: "" },
      { values: ["3e-4", "off", ""], rest: "" },
      { values: ["", "0", "0.1"], rest: "" },
    ],
  });
});

it("keeps an environment and a trial beside the columns", () => {
  expect(labelColumns(["Sokoban, trial 1, lr 1e-4, KL 0", "WebShop, trial 2, lr 2e-4, KL 1"])?.rows[0]).toEqual({
    values: ["1e-4", "0"],
    rest: "Sokoban, trial 1",
  });
});

it("makes none of a single setting", () => {
  expect(labelColumns(["lr 1e-4, KL 0", "lr 3e-4, KL 0"])).toBeUndefined();
  expect(labelColumns(["", ""])).toBeUndefined();
});
