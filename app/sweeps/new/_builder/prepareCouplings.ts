import { methodOf, type Method } from "#trainer/spec/method.ts";
import { MethodVariant, resolveMethod } from "#server/domain/plan/sweep/methodChoice.ts";
import { couplings, type Coupling } from "#server/domain/plan/sweep/couplings.ts";
import { dimensionIds, type DimensionId, type Draft } from "./draft/draft.ts";
import { defaultLevel, expandLevel, kindOf } from "./draft/levels.ts";

/** Constraints that act on the current choices, without duplicates, by dimension. */
export function prepareCouplings(draft: Draft): Record<DimensionId, Coupling[]> {
  const chosen = [...draft.methods.map((choice) => resolveMethod(choice).method), ...gridPoints(draft)];
  const unique = [...new Map(chosen.flatMap(couplings).map((coupling) => [coupling.text, coupling])).values()];
  // "X fixes Y." is contained in "X fixes Y; Z has no effect."
  const distinct = unique.filter(({ text }) => !unique.some((other) => other.text.startsWith(`${text.slice(0, -1)};`)));
  const of = (dimension: DimensionId) => distinct.filter((coupling) => coupling.dimension === dimension);
  return {
    aggregation: of("aggregation"),
    clipping: of("clipping"),
    advantage: of("advantage"),
    sampling: of("sampling"),
  };
}

/** The grid's points by kind. Couplings depend on kinds only, so parameters have their published values. */
function gridPoints({ grid }: Draft): Method[] {
  if (dimensionIds.every((dimension) => grid[dimension].length === 0)) return [];
  const base = methodOf("grpo");
  let points: Record<string, unknown>[] = [{}];
  for (const dimension of dimensionIds) {
    const ticked = grid[dimension].map((level) => level.kind);
    const kinds = ticked.length > 0 ? [...new Set(ticked)] : [kindOf(base[dimension])];
    const levels = kinds.flatMap((kind) => expandLevel(dimension, defaultLevel(dimension, kind)).levels);
    points = points.flatMap((point) => levels.map((level) => ({ ...point, [dimension]: level })));
  }
  return points.flatMap((point) => {
    const parsed = MethodVariant.safeParse({ name: "point", ...point });
    return parsed.success ? [resolveMethod(parsed.data).method] : [];
  });
}
