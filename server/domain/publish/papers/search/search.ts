import { isMethodName, methodOf, methods, type MethodName } from "#trainer/spec/method.ts";
import { badInput } from "#packages/base";
import { mergeSettings } from "#server/domain/plan/sweep/merge.ts";
import { MethodVariant } from "#server/domain/plan/sweep/methods/methodChoice.ts";
import { checkPlan, type SweepPlan } from "#server/domain/plan/sweep/plan.ts";
import type { MethodSearch, MethodValues } from "#server/domain/plan/sweep/settings/plannedEnvironment.ts";
import { chooseSetting, rule, type Ending } from "./choose.ts";

type Candidate = { name: string; method: MethodName; values: MethodValues };

const prefix = "Search for ";

/**
 * Plans the search to run before a comparison. The search tries every candidate setting of the methods that have
 * several, with one seed that the comparison does not use. Throws `bad_input` if no method has several candidates, if
 * there are several environments, or if settings are already chosen.
 */
export function planSearch(plan: SweepPlan): SweepPlan {
  const candidates = listCandidates(plan);
  const [environment, another] = plan.environments;
  if (candidates.length === 0)
    throw badInput([{ path: "methods", message: "no method of this item has settings to search" }]);
  if (!environment || another) throw badInput([{ path: "environments", message: "a search has one environment" }]);
  if (environment.methods) {
    throw badInput([{ path: "environments[0].methods", message: "are already chosen: remove them to search again" }]);
  }
  return checkPlan({
    ...plan,
    name: `${prefix}${plan.name}`,
    description: rule,
    methods: candidates.map(({ name, method, values }) =>
      MethodVariant.parse({ ...mergeSettings(methodOf(method), values), name, from: method }),
    ),
    seeds: [Math.max(...plan.seeds) + 1],
  });
}

export function isSearchOf(plan: SweepPlan, sweepName: string): boolean {
  return sweepName === `${prefix}${plan.name}`;
}

/**
 * Plans the comparison with the settings that its search selected, and records all settings tried. Published settings
 * stay unchanged. Throws `bad_input` with the methods whose runs logged nothing.
 */
export function applySearch(
  plan: SweepPlan,
  { sweep, endings }: { sweep: string; endings: ReadonlyMap<string, Ending> },
): SweepPlan {
  const candidates = listCandidates(plan);
  const names = [...new Set(candidates.map(({ method }) => method))];
  const missing: Ending = { before: NaN, final: NaN, spread: NaN };
  const tried = names.flatMap((method) => {
    const settings = candidates.filter((one) => one.method === method);
    const ends = settings.map(({ name }) => endings.get(name) ?? missing);
    const chosen = chooseSetting(ends);
    if (chosen === undefined) {
      throw badInput([{ path: methods[method].title, message: `no run of the search ${sweep} has logged success` }]);
    }
    return settings.map(({ values }, i) => ({ method, values, ending: ends[i] ?? missing, isChosen: i === chosen }));
  });
  const values = tried.filter((one) => one.isChosen && Object.keys(one.values).length > 0);
  const orNull = (x: number) => (Number.isFinite(x) ? x : null);
  const search: MethodSearch = {
    sweep,
    rule,
    tried: tried.map(({ ending, ...one }) => ({
      ...one,
      final: orNull(ending.final),
      spread: orNull(ending.spread),
    })),
  };
  return checkPlan({
    ...plan,
    environments: plan.environments.map((environment) => ({
      ...environment,
      ...(values.length > 0 && { methods: Object.fromEntries(values.map((one) => [one.method, one.values])) }),
      search,
    })),
  });
}

function listCandidates({ methods: choices }: SweepPlan): Candidate[] {
  return choices.flatMap((choice): Candidate[] => {
    if (typeof choice !== "string" || !isMethodName(choice)) return [];
    return (grids[choice] ?? []).map((values) => {
      return { name: [methods[choice].title, ...describe(values)].join(", "), method: choice, values };
    });
  });
}

/** Describes how a candidate differs from the published setting, such as "low 0.03"; empty if it does not. */
function describe({ clipping = {}, advantage = {}, sampling = {} }: MethodValues): string[] {
  return Object.entries({ ...clipping, ...advantage, ...sampling }).map(
    ([field, value]) => `${field} ${JSON.stringify(value)}`,
  );
}

/** Returns table notes on the settings that a search selected; empty for plans without a search. */
export function describeSearches({ name, environments }: SweepPlan): string[] {
  return environments.flatMap(({ search }) => {
    if (!search) return [];
    const chosen = search.tried.filter(({ isChosen }) => isChosen);
    const words = chosen.map(({ method, values }) => {
      const title = isMethodName(method) ? methods[method].title : method;
      const numTried = search.tried.filter((one) => one.method === method).length;
      return `${title} ${describe(values).join(", ") || "as published"} (of ${numTried})`;
    });
    return [
      `Settings of ${name} were chosen by the hyperparameter search ${search.sweep}: ${words.join("; ")}. All other settings are as published.`,
    ];
  });
}

const range = (low: number, high: number): MethodValues => ({ clipping: { low, high } });
const ranges = [{}, range(0.03, 0.04), range(0.0003, 0.0004)];
const tries = [{}, { sampling: { maxTries: 2 } }];

/**
 * Candidate settings that ARLArena's paper and scripts are known to have tried (its Table 2), published settings first.
 * Grids of other methods are not known here; methods without an entry have one setting.
 */
const grids: { readonly [Name in MethodName]?: readonly MethodValues[] } = {
  gspo: ranges,
  sapo: [{}, { clipping: { tauPositive: 2, tauNegative: 2.1 } }, { clipping: { tauPositive: 3, tauNegative: 3.15 } }],
  dapoGrpo: tries,
  dapoGigpo: tries,
  sampo: ranges,
};
