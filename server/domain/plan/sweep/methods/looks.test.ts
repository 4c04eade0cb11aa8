import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { nameOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { expandPlan } from "../expand/expand.ts";
import { parsePlan } from "../plan.ts";
import { chooseLooks, type Look } from "./looks.ts";
import { areDistinct } from "./shades.ts";

type Cell = { id: number; method: string; environment: string; label: string };

const cells = (rows: readonly (readonly [method: string, label: string])[]): Cell[] =>
  rows.map(([method, label], id) => ({ id, method, label, environment: "sokoban" }));

/** Pairs of configurations in one environment that have the same mark and colours that cannot be told apart. */
function alike(all: readonly Cell[]): string[] {
  const looks = chooseLooks(all);
  const lookOf = ({ id }: Cell): Look => looks.get(id) ?? { color: "", mark: -1 };
  return all.flatMap((a, i) =>
    all.slice(i + 1).flatMap((b) => {
      const [first, second] = [lookOf(a), lookOf(b)];
      const isAlike = first.mark === second.mark && !areDistinct(first.color, second.color);
      return a.environment === b.environment && isAlike ? [`${a.method} ${a.label} = ${b.method} ${b.label}`] : [];
    }),
  );
}

it("knows that near blues cannot be told apart in one of the themes", () => {
  expect(areDistinct("#498ef3", "#4b90f5")).toBe(false);
  expect(areDistinct("light-dark(#000000, #498ef3)", "light-dark(#ffffff, #4b90f5)")).toBe(false);
  expect(areDistinct("var(--series-1)", "var(--series-2)")).toBe(true);
});

it("tells GRPO and a variant of it at two learning rates apart", () => {
  const rates = ["lr 3e-4", "lr 1e-3"];
  const made = cells(["GRPO", "GRPO-wide"].flatMap((method) => rates.map((label) => [method, label] as const)));
  const looks = chooseLooks(made);
  expect(alike(made)).toEqual([]);
  expect(new Set([...looks.values()].map(({ color }) => color)).size).toBe(4);
});

it("gives each level of the fastest setting a shade, and the other setting a mark", () => {
  const grid = cells(
    ["lr 3e-4", "lr 1e-3"].flatMap((lr) => [0, 1, 4, 16].map((k) => ["GRPO", `${lr}, lag ${k}`] as const)),
  );
  const looks = [...chooseLooks(grid).values()];
  expect(looks.map(({ mark }) => mark)).toEqual([0, 0, 0, 0, 1, 1, 1, 1]);
  expect(looks.slice(0, 4).map(({ color }) => color)).toEqual(looks.slice(4).map(({ color }) => color));
  expect(alike(grid)).toEqual([]);
});

it("tells all methods of twelve hues apart, and the methods that share a hue with them", () => {
  const methods = ["GRPO", "GSPO", "SAPO", "SAMPO", "GiGPO", "CISPO", "DAPO_GRPO", "EMPG", "PPO", "RLOO", "GRPO_ST"];
  const sharing = ["SAPO_SM", "GMPO", "Dr. GRPO", "AEPO", "GRPO_TIS", "mine", "yours"];
  expect(alike(cells([...methods, ...sharing].map((method) => [method, ""] as const)))).toEqual([]);
});

it("gives a configuration the same look in each environment, which have charts of their own", () => {
  const looks = chooseLooks([
    { id: 0, method: "GRPO", environment: "sokoban", label: "" },
    { id: 1, method: "GRPO", environment: "webshop", label: "" },
  ]);
  expect(looks.get(0)).toEqual(looks.get(1));
});

const folder = new URL("../../../../../public/presets/", import.meta.url);
const presets = ["", "laboratory/", "remedies/"].flatMap((path) =>
  readdirSync(new URL(path, folder)).flatMap((name) => (name.endsWith(".yaml") ? [path + name] : [])),
);

it.each(presets)("tells all configurations of %s apart", (name) => {
  const { cells: expanded } = expandPlan(parsePlan(readFileSync(new URL(name, folder), "utf8")));
  expect(
    alike(
      expanded.map(({ index, method, label, spec }) => ({
        id: index,
        method,
        label,
        environment: nameOfEnvironment(spec.environment),
      })),
    ),
  ).toEqual([]);
});
