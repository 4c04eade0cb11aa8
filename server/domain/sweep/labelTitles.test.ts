import { expect, it } from "vitest";
import { titleOfLabel } from "./labelTitles.ts";

it.each([
  ["learningRate 3e-4, lag.k 16", "learning rate 3e-4, lag 16"],
  ["k 16", "lag 16"],
  ["temperature 0.7", "temperature 0.7"],
  ["klCoef 0", "KL coefficient 0"],
  ["", ""],
  ["stated method", "stated method"],
  ["lr 1e-6", "lr 1e-6"],
  ["epochs 5", "epochs 5"],
  ["kind constant", "kind constant"],
])("words the label %j as %j", (label, words) => {
  expect(titleOfLabel(label)).toBe(words);
});
