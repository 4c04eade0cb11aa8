import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "#trainer/spec/canonical.ts";
import { environmentsIn } from "#trainer/spec/environmentParts.ts";
import { elsewhereOf } from "#trainer/spec/elsewhere.ts";
import { methods } from "#trainer/spec/method.ts";
import { isMetricKey } from "#trainer/spec/metric.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { labelEnvironments } from "#server/domain/plan/sweep/labels/labels.ts";
import { parsePlan } from "#server/domain/plan/sweep/plan.ts";
import { TableOptions, TableWording } from "../tables/builder/options.ts";
import { build, join, makeFrom } from "../tables/testing/builderInput.ts";
import { settingClaims } from "#server/domain/analysis/claims/stated/settings.ts";
import { practitionerClaims } from "#server/domain/analysis/claims/stated/practitioners.ts";
import { methodClaims } from "#server/domain/analysis/claims/stated/methods.ts";
import { writePapersDocument } from "./testing/document.ts";
import { contents, listContents, numberOf } from "./contents.ts";
import { isMissing, scales, type Recipe } from "./paper.ts";
import { findPaperItem, findRecipe, paperItems } from "./papers.ts";

const presets = new URL("../../../../public/presets/", import.meta.url);
const readPlan = (preset: string) => parsePlan(readFileSync(new URL(`${preset}.yaml`, presets), "utf8"));
const recipes = paperItems.flatMap(({ id, scales: of }) =>
  scales.flatMap((scale): [string, Recipe][] => {
    const recipe = of[scale];
    return isMissing(recipe) ? [] : [[`${id}, ${scale}`, recipe]];
  }),
);

describe("paperItems", () => {
  it.each(recipes)("%s names presets that there are and metrics of the catalogue", (_, { presets: names, result }) => {
    for (const name of names) expect(existsSync(new URL(`${name}.yaml`, presets)), name).toBe(true);
    if (result.kind !== "table" && result.kind !== "figure") return;
    const metrics =
      result.kind === "figure"
        ? result.metrics
        : [...(result.options.metrics ?? []), ...(result.options.columns ?? []).map(({ metric }) => metric)];
    expect(metrics.length).toBeGreaterThan(0);
    expect(metrics.filter((key) => !isMetricKey(key) && !/^(taskSuccess|evaluation.elsewhere)\//.test(key))).toEqual(
      [],
    );
  });

  it("names recorded studies that there are", () => {
    const names = recipes.flatMap(([, { recorded = [] }]) => recorded);
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expect(existsSync(new URL(`../../studies/${name}.arlarena`, presets)), name).toBe(true);
  });

  it.each(recipes)("%s asks for a table that can be asked for, of environments that its presets have", (_, recipe) => {
    const { result } = recipe;
    if (result.kind !== "table") return;
    expect(TableOptions.parse(result.options)).toEqual(result.options);
    expect(TableWording.parse(result.wording)).toEqual(result.wording);
    const environments = recipe.presets.flatMap((preset) => labelEnvironments(readPlan(preset).environments));
    const asked = [...new Set((result.options.columns ?? []).map(({ environment }) => environment))];
    // The published Sokoban has no preset yet, so its column is empty at that scale.
    expect(asked.filter((name) => !environments.includes(name) && name !== "Sokoban")).toEqual([]);
    for (const { method, values } of result.wording.references ?? []) {
      expect(values.length, method).toBe(result.options.columns?.length);
    }
  });

  it.each(recipes)("%s makes its table of the rows that its presets have", (_, { presets: names, result }) => {
    if (result.kind !== "table") return;
    const input = join(...names.map((name) => makeFrom(readPlan(name), { id: name })));
    const { rows } = build(input, result.options, result.wording);
    const shown = new Set(rows.flatMap(({ runIds }) => runIds));
    expect(input.runs.filter(({ runId }) => !shown.has(runId)).map(({ runId }) => runId)).toEqual([]);
  });

  it("names for its figures methods that there are", () => {
    const titles = new Set<string>(Object.values(methods).map(({ title }) => title));
    const named = recipes.flatMap(([, { result }]) => (result.kind === "figure" ? (result.methods ?? []) : []));
    expect(named).toContain("SAPO_SM");
    expect(named.filter((name) => !titles.has(name))).toEqual([]);
  });

  it.each(recipes)("%s draws methods that its presets train, or says which they do not", (_, recipe) => {
    const { presets: names, result, differs } = recipe;
    if (result.kind !== "figure" || result.methods === undefined) return;
    const trained = new Set(names.flatMap((name) => expandPlan(readPlan(name)).cells.map(({ method }) => method)));
    const missing = result.methods.filter((name) => !trained.has(name));
    expect(missing.filter((name) => !differs.some((text) => text.includes(name)))).toEqual([]);
  });

  it("compares the methods of Table 3 by the same settings in every environment", () => {
    const [sokoban, ...others] = ["sokoban", "webshop", "alfworld"].map((name) => readPlan(`paper-table3-${name}`));
    for (const plan of others) expect([plan.methods, plan.seeds]).toEqual([sokoban?.methods, sokoban?.seeds]);
  });

  it("evaluates every transfer in each environment that one of its runs is trained in", () => {
    const transfers = recipes.filter(([, { result }]) => result.kind === "answer" && result.question === "transfer");
    expect(transfers).toHaveLength(6);
    for (const [, { presets: names }] of transfers) {
      const cells = names.flatMap((name) => expandPlan(readPlan(name)).cells);
      const trained = new Set(cells.flatMap(({ spec }) => environmentsIn(spec.environment).map(canonicalJson)));
      for (const { spec } of cells) {
        const evaluated = elsewhereOf(spec).map(({ environment }) => canonicalJson(environment));
        expect([...trained].filter((environment) => !evaluated.includes(environment))).toEqual([]);
      }
    }
  });

  it("finds by name, and says what is near or why a scale is not there", () => {
    expect(findPaperItem("Table3").id).toBe("table3");
    expect(() => findPaperItem("tabel3")).toThrow('"tabel3" is not a table or figure of a paper; did you mean');
    expect(() => findRecipe(findPaperItem("transfer"), "llm")).toThrow(
      "transfer cannot be reproduced at scale llm: the paper's trainer is a fork of verl for which the studio has no template",
    );
  });

  it("states for each of the papers' 18 and 16 tables and figures if it is recorded, has a recipe, or is left out", () => {
    const listed = listContents();
    const countOf = (paper: string) => listed.filter((one) => one.paper === paper).length;
    expect([countOf("2602.21534"), countOf("2510.01132")]).toEqual([18, 16]);
    expect(listed.filter((one) => one.state !== "recorded" && one.reason === "")).toEqual([]);
    const named = paperItems.flatMap((item) => numberOf(item) ?? []);
    for (const name of named) expect(Object.values(contents).flat()).toContain(name);
    expect(named).toHaveLength(34);
  });

  it.each(
    paperItems.flatMap(({ paper, scales: of }) =>
      scales.flatMap((scale) => {
        const recipe = of[scale];
        return isMissing(recipe) ? [] : recipe.presets.map((preset) => [preset, paper] as const);
      }),
    ),
  )("preset %s cites tables and figures of paper %s that it reproduces", (preset, paper) => {
    const shown = paperItems.flatMap((item) =>
      item.paper === paper && usesPreset(item, preset) ? (numberOf(item) ?? []) : [],
    );
    const text = readFileSync(new URL(`${preset}.yaml`, presets), "utf8");
    const header = text
      .split("\n")
      .filter((line) => line.startsWith("#"))
      .join(" ")
      .replace(/ # /g, " ");
    const cited = citedIn(header);
    if (cited.length > 0) expect(cited.filter((name) => shown.includes(name)).length).toBeGreaterThan(0);
    expect(cited.filter((name) => !contents[paper].includes(name))).toEqual([]);
  });

  it.each([...methodClaims, ...settingClaims, ...practitionerClaims])(
    "claim $id cites what its paper has",
    ({ source }) => {
      const paper = source.startsWith("ARLArena") ? "2602.21534" : "2510.01132";
      expect(citedIn(source).filter((name) => !contents[paper].includes(name))).toEqual([]);
    },
  );

  it("says nowhere that the paper tunes the learning rate or the minibatch per method", () => {
    // ARLArena's Table S1 has one learning rate everywhere, and one minibatch per environment.
    expect(writePapersDocument()).not.toMatch(/tunes (both|the learning rate|its learning rate)/);
  });

  it("is what docs/papers.md says", async () => {
    await expect(writePapersDocument()).toMatchFileSnapshot("../../../../docs/papers.md");
  });
});

/** Lists the tables and figures that a text cites: "Tables 5 and 6, Figure 3". */
function citedIn(text: string): string[] {
  return [...text.matchAll(/(Table|Figure)s? (S?\d+)(?: to (\d+))?((?:,? and S?\d+|, S?\d+)*)/g)].flatMap(
    ([, kind, first = "", last, more = ""]) => {
      const range = last
        ? Array.from({ length: Number(last) - Number(first) }, (_, i) => `${Number(first) + i + 1}`)
        : [];
      return [first, ...range, ...(more.match(/S?\d+/g) ?? [])].map((name) => `${kind} ${name}`);
    },
  );
}

function usesPreset({ scales: of }: (typeof paperItems)[number], preset: string): boolean {
  return scales.some((scale) => {
    const recipe = of[scale];
    return !isMissing(recipe) && recipe.presets.includes(preset);
  });
}
