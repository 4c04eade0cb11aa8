import { expect, it } from "vitest";
import { chooseDrawn } from "./chooseDrawn.ts";

const sweep = (id: string, methods: string[], environment = "Sokoban", iterationsDone = 24) => ({
  id,
  name: id,
  methods,
  environments: [environment],
  numCells: methods.length,
  iterationsDone,
  isArchived: false,
});
const table3 = sweep("Table 3", ["GRPO", "SAPO", "CISPO"]);
const masked = sweep("Masked", ["SAPO_SM", "CISPO_SM"]);
const pair = ["SAPO", "SAPO_SM"];

it("leaves archived sweeps alone", () => {
  expect(chooseDrawn([{ ...table3, isArchived: true }, masked], new Set(), pair)).toEqual(["Masked"]);
});

it("adds the sweep that has the figure's other method", () => {
  expect(chooseDrawn([table3, masked], new Set(), pair)).toEqual(["Table 3", "Masked"]);
});

it("adds no sweep of another environment, none without data, and none to the figure's own plan", () => {
  const elsewhere = sweep("WebShop", ["SAPO_SM"], "WebShop");
  const empty = sweep("Planned", ["SAPO", "SAPO_SM"], "Sokoban", 0);
  expect(chooseDrawn([empty, table3, elsewhere], new Set(["Planned"]), pair)).toEqual(["Table 3"]);
  const own = sweep("Clipping", ["GRPO", "SAPO", "SAPO_SM"]);
  expect(chooseDrawn([table3, masked, own], new Set(["Clipping"]), pair)).toEqual(["Clipping"]);
});

it("chooses the newest trained sweep for a figure of all methods", () => {
  expect(chooseDrawn([masked, table3], new Set())).toEqual(["Masked"]);
});

it("prefers a sweep with one configuration per method to newer ones that vary its settings, or branch a run", () => {
  const varied = { ...sweep("Changes", ["SAPO", "CISPO"]), numCells: 4 };
  const branches = { ...sweep("Branches", ["SAPO"]), branchedFrom: {} };
  expect(chooseDrawn([branches, varied, table3, masked], new Set(), pair)).toEqual(["Table 3", "Masked"]);
  expect(chooseDrawn([varied], new Set(), ["SAPO"])).toEqual(["Changes"]);
  const narrow = sweep("Late sampler", ["SAPO", "GRPO"]);
  expect(chooseDrawn([narrow, table3, masked], new Set(), pair)).toEqual(["Table 3", "Masked"]);
});
