import type { CellSpec } from "#trainer/spec/run.ts";
import { badInput } from "#packages/base";
import type { CheckCell } from "#server/domain/plan/sweep/expand/conflicts.ts";
import { expandPlan, type Expansion } from "#server/domain/plan/sweep/expand/expand.ts";
import type { SweepPlan } from "#server/domain/plan/sweep/plan.ts";
import type { Translate } from "#server/domain/plan/sweep/translate.ts";
import type { Space } from "#server/domain/plan/search/space.ts";
import {
  describeModels,
  keyOf,
  listForbidden,
  type ModelFacts,
  type ModelPlaces,
  type Specified,
} from "./describeModel.ts";

/** Describes the distinct pretrained models of cells. It reads files that a plan names, so it belongs into a process. */
export function describeDistinct(specs: readonly Specified[], places: () => ModelPlaces): Map<string, ModelFacts> {
  const distinct = new Map<string, Specified>();
  for (const spec of specs) {
    const key = keyOf(spec);
    if (key !== undefined) distinct.set(key, spec);
  }
  if (distinct.size === 0) return new Map();
  const facts = describeModels([...distinct.values()], places());
  return new Map([...distinct.keys()].flatMap((key, i) => (facts[i] ? [[key, facts[i]]] : [])));
}

/** Expands a plan for the launch. Throws for models that exceed the memory, and for forbidden model folders. */
export function expandChecked(plan: SweepPlan, translate: Translate, places: () => ModelPlaces): Expansion {
  const searched = namesOfSpace(plan.search?.space ?? {});
  if (searched.length > 0) refuseForbidden(listForbidden(searched, places()), "search.space");
  const named: CellSpec[] = [];
  const expansion = expandPlan(plan, translate, (spec) => {
    if (spec.policy.pretrained !== undefined) named.push(spec);
    return [];
  });
  if (named.length === 0) return expansion;
  const names = named.flatMap(({ policy: { pretrained } }) => pretrained ?? []);
  const forbidden = listForbidden([...new Set(names)], places());
  const facts = describeDistinct(
    named.filter(({ trainer }) => trainer === undefined),
    places,
  );
  const check: CheckCell = (spec) => {
    const message = forbidden[spec.policy.pretrained ?? ""];
    if (message !== undefined) return [{ path: "policy.pretrained", message }];
    return spec.trainer === undefined ? (facts.get(keyOf(spec) ?? "")?.problems ?? []) : [];
  };
  return named.some((spec) => check(spec).length > 0) ? expandPlan(plan, translate, check) : expansion;
}

/** Returns the models that a hyperparameter search could sample. */
export function namesOfSpace(space: Space): string[] {
  const drawn = space["policy.pretrained"];
  return drawn?.kind === "choice" ? [...new Set(drawn.of.map(String))] : [];
}

/** Throws `bad_input` if a model of a search space lies in a folder that is not allowed. */
export function refuseForbidden(forbidden: Readonly<Record<string, string>>, path: string): void {
  const [first] = Object.entries(forbidden);
  if (!first) return;
  const [name, message] = first;
  throw badInput([{ path: `${path}.policy.pretrained`, message: `"${name}": ${message}` }]);
}
