import { effectiveAggregation, type Method } from "#trainer/spec/method.ts";
import { clippingTraits } from "#trainer/spec/traits.ts";
import { role, type Flavour } from "./flavour.ts";
import { isDrGrpo, refuse, type Chosen, type MethodPart } from "./part.ts";

const aggregations = {
  tokenMean: "token-mean",
  seqMeanTokenMean: "seq-mean-token-mean",
  seqMeanTokenSum: "seq-mean-token-sum",
  seqMeanTokenSumNorm: "seq-mean-token-sum-norm",
  tokenSum: undefined,
} as const;

/** Over what the loss is averaged. One setting has it, and KL and entropy follow it. */
export function addAggregation(part: MethodPart, method: Method, { loss, flavour }: Chosen): void {
  const aggregation = aggregations[effectiveAggregation(method)];
  if (aggregation === undefined) refuse(part, "method.aggregation", "there is no sum over all tokens");
  // Where the loss fixes its aggregation, the setting is that of KL and entropy; Dr. GRPO fixes that, too.
  const asked = method.penaltyAggregation;
  const penalties = asked === undefined ? undefined : aggregations[asked];
  const mode = fixes(method, flavour) ? penalties : aggregation;
  const isFixed = isDrGrpo(method, { loss, flavour });
  if (!isFixed && mode !== undefined && mode !== "token-mean") part.actor.push(`${role}.actor.loss_agg_mode=${mode}`);
  const acting = isFixed ? "seq-mean-token-sum" : mode;
  if (asked !== undefined && (penalties === undefined || penalties !== acting)) {
    const message = `KL and entropy cannot be aggregated by ${asked} beside this policy term`;
    refuse(part, "method.penaltyAggregation", message);
  }
  if (isFixed && method.aggregation !== "seqMeanTokenSumNorm") {
    refuse(part, "method.aggregation", `its Dr. GRPO aggregates by seqMeanTokenSumNorm, not by ${method.aggregation}`);
  }
  const { kind } = method.clipping;
  if (flavour.trainer === "verl" && kind === "sapo" && method.aggregation !== "seqMeanTokenMean") {
    refuse(part, "method.aggregation", `verl's SAPO aggregates by seqMeanTokenMean, not by ${method.aggregation}`);
  }
  if (kind === "sequence" && method.aggregation === "seqMeanTokenSum") {
    refuse(
      part,
      "method.aggregation",
      "its loss of whole rows is a mean over their tokens; a sum is LUSPO, which it has not",
    );
  }
  if (clippingTraits[kind].fixesAggregation !== null) {
    const fixed = effectiveAggregation(method);
    if (method.aggregation !== fixed) {
      const message = `${method.aggregation} is not passed: the loss aggregates by ${fixed}, here and there`;
      part.notes.push({ path: "method.aggregation", message });
    }
  }
}

/** Whether the policy term has an aggregation of its own, whatever the setting. */
function fixes({ clipping }: Method, { trainer }: Flavour): boolean {
  return clippingTraits[clipping.kind].fixesAggregation !== null || (trainer === "verl" && clipping.kind === "sapo");
}
