import { effectiveAggregation, fixedAggregation, penaltyAggregationOf, type Method } from "#trainer/spec/method.ts";
import { clippingTraits } from "#trainer/spec/traits.ts";
import { actsPerRow } from "./acting.ts";
import { aggregationTexts, clippingTexts, type DimensionId } from "./dimensionTexts.ts";

/** A constraint between a method's dimensions, which the sweep builder shows beside the setting. */
export type Coupling = { dimension: DimensionId; severity: "fixed" | "note"; text: string };

export function couplings(method: Method): Coupling[] {
  const found: Coupling[] = [];
  const { range, clips } = clippingTraits[method.clipping.kind];
  const fixesAggregation = fixedAggregation(method);
  const { title } = clippingTexts[method.clipping.kind];
  if (fixesAggregation !== null) {
    const asked = aggregationTexts[method.aggregation].title;
    const acts = aggregationTexts[fixesAggregation].title;
    const text =
      asked === acts
        ? `${title} fixes the aggregation to ${acts}.`
        : `${title} fixes the aggregation to ${acts}; ${asked} has no effect.`;
    found.push({ dimension: "aggregation", severity: "fixed", text });
  }
  const penalties = penaltyAggregationOf(method);
  if (penalties !== effectiveAggregation(method)) {
    const [penalty, policy] = [penalties, effectiveAggregation(method)].map((aggregation) =>
      aggregationTexts[aggregation].title.toLowerCase(),
    );
    const text = `The policy loss is aggregated by ${policy}, but the KL and entropy terms by ${penalty}. The setting penaltyAggregation changes the aggregation of KL and entropy.`;
    found.push({ dimension: "aggregation", severity: "note", text });
  }
  if (actsPerRow(method) && method.clipping.kind === "sequence" && method.clipping.credit === "token") {
    const text =
      "Credit per token (GSPO-token) equals credit per turn, because all tokens of a turn share one advantage.";
    found.push({ dimension: "clipping", severity: "fixed", text });
  }
  if (range === null && clips !== "never") {
    const text = `${title} has no clip range; its clip fraction is not comparable with other methods.`;
    found.push({ dimension: "clipping", severity: "note", text });
  }
  if (method.advantage.kind === "gigpo" && method.advantage.stepWeight === 0) {
    found.push({
      dimension: "advantage",
      severity: "note",
      text: "With a step weight of 0, the GiGPO advantage equals the group-relative advantage.",
    });
  }
  return found;
}
