import { expect, it } from "vitest";
import { labelColumns, labelsThatDiffer, labelsThatStandOut } from "./labels.ts";

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

it("leaves out the usual value of a setting, unless two configurations would then look alike", () => {
  const cells = (...labels: string[]) => labels.map((label, i) => ({ method: i < 3 ? `M${i}` : "M0", label }));
  const usual = "lr 6e-4, KL 0.01";
  expect(labelsThatStandOut(cells(usual, usual, usual, "lr 1.2e-4, KL 0.01"))).toEqual(["", "", "", "lr 1.2e-4"]);
  expect(labelsThatStandOut(cells(usual, usual, "lr 1.2e-4, KL 0.01", "lr 3e-4, KL 0.01"))).toEqual([
    "lr 6e-4",
    "lr 6e-4",
    "lr 1.2e-4",
    "lr 3e-4",
  ]);
  expect(labelsThatStandOut(cells("lr 6e-4", "lr 6e-4", "lr 6e-4", ""))).toEqual(["lr 6e-4", "lr 6e-4", "lr 6e-4", ""]);
});
