import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { methodOf } from "#trainer/spec/method.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { parsePlan, toYaml } from "#server/domain/plan/sweep/plan.ts";
import { settled } from "./choose.ts";
import { applySearch, describeSearches, isSearchOf, planSearch } from "./search.ts";

const presets = new URL("../../../../../public/presets/", import.meta.url);
const read = (name: string) => parsePlan(readFileSync(new URL(`${name}.yaml`, presets), "utf8"));
const plan = read("paper-table3-sokoban");
const names = expandPlan(planSearch(plan)).cells.map(({ method }) => method);
/** The success of all settings has settled, except GSPO as published and SAPO at its two lowest temperatures. */
const endings = new Map(
  names.map((name) => {
    const isWild = name === "GSPO" || name === "SAPO" || name.startsWith("SAPO, tauPositive 2");
    return [name, { before: 0.4, final: 0.6, spread: isWild ? 2 * settled : settled }];
  }),
);

describe("a search", () => {
  it("has every setting of the methods that have several, all else as the comparison, with a seed of its own", () => {
    expect(names.join("; ")).toBe(
      "SAPO; SAPO, tauPositive 2, tauNegative 2.1; SAPO, tauPositive 3, tauNegative 3.15; GSPO; GSPO, low 0.03, high 0.04; GSPO, low 0.0003, high 0.0004; " +
        "DAPO_GRPO; DAPO_GRPO, maxTries 2; DAPO_GiGPO; DAPO_GiGPO, maxTries 2; SAMPO; SAMPO, low 0.03, high 0.04; SAMPO, low 0.0003, high 0.0004",
    );
    const search = planSearch(plan);
    expect([search.seeds, search.base, search.environments]).toEqual([[3], plan.base, plan.environments]);
    expect([isSearchOf(plan, search.name), isSearchOf(read("paper-table3-webshop"), search.name)]).toEqual([
      true,
      false,
    ]);
    const [published] = expandPlan(search).cells;
    expect(published?.spec.method).toEqual(methodOf("sapo"));
  });

  it("gives the comparison what it chose, and the record of all that was tried", () => {
    const chosen = applySearch(plan, { sweep: "s", endings });
    expect(chosen.environments[0]?.methods).toEqual({
      sapo: { clipping: { tauPositive: 3, tauNegative: 3.15 } },
      gspo: { clipping: { low: 0.03, high: 0.04 } },
    });
    expect(chosen.environments[0]?.search?.tried).toHaveLength(13);
    expect(chosen.environments[0]?.search?.tried[0]).toEqual({
      method: "sapo",
      values: {},
      final: 0.6,
      spread: 2 * settled,
      isChosen: false,
    });
    expect(parsePlan(toYaml(chosen))).toEqual(chosen);
    const specs = new Map(expandPlan(chosen).cells.map(({ method, spec }) => [method, spec.method.clipping]));
    expect(specs.get("GSPO")).toMatchObject({ low: 0.03, high: 0.04 });
    expect(specs.get("SAMPO")).toMatchObject({ low: 0.003, high: 0.004 });
    expect(describeSearches(chosen)).toEqual([
      "Settings of Table 3, Sokoban were chosen by the hyperparameter search s: SAPO tauPositive 3, tauNegative 3.15 (of 3); GSPO low 0.03, high 0.04 (of 3); DAPO_GRPO as published (of 2); DAPO_GiGPO as published (of 2); SAMPO as published (of 3). All other settings are as published.",
    ]);
    expect(describeSearches(plan)).toEqual([]);
  });

  it("changes no cell whose setting it leaves as published", () => {
    const calm = new Map(names.map((name) => [name, { before: 0.4, final: 0.6, spread: 0 }]));
    const chosen = applySearch(plan, { sweep: "s", endings: calm });
    expect(expandPlan(chosen).cells).toEqual(expandPlan(plan).cells);
  });

  it("is refused where there is nothing to search, or nowhere to write it down", () => {
    expect(() => planSearch({ ...plan, methods: ["grpo"] })).toThrow(
      "methods: no method of this item has settings to search",
    );
    expect(() => planSearch(read("arlarena-alfworld"))).toThrow("environments[0].methods: are already chosen");
    expect(() => applySearch(plan, { sweep: "s", endings: new Map() })).toThrow(
      "SAPO: no run of the search s has logged success",
    );
  });
});
