import type { Aggregation } from "#trainer/spec/dimensions.ts";
import { effectiveAggregation, penaltyAggregationOf } from "#trainer/spec/method.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { clippingTraits } from "#trainer/spec/traits.ts";
import { type Chosen, isDrGrpo, type MethodPart, refuse, role } from "./part.ts";

const modes: Readonly<Record<Aggregation, string | undefined>> = {
  tokenMean: "token-mean",
  seqMeanTokenMean: "seq-mean-token-mean",
  seqMeanTokenSum: "seq-mean-token-sum",
  seqMeanTokenSumNorm: "seq-mean-token-sum-norm",
  tokenSum: undefined,
};

/** Adds the aggregation of loss, KL and entropy, or of the latter two if the loss has its own mode; always passed. */
export function addAggregation(part: MethodPart, spec: Pick<RunSpec, "method" | "update">, chosen: Chosen): void {
  const { method } = spec;
  const { loss, flavour } = chosen;
  const wanted = effectiveAggregation(method);
  if (modes[wanted] === undefined) refuse(part, "method.aggregation", "there is no sum over all tokens");
  refuseOwnMode(part, method, chosen);
  // If Dr. GRPO is an advantage estimator, the estimator sets the aggregation mode itself.
  const isSet = isDrGrpo(method, chosen);
  const mode = flavour.ownModes[loss] === undefined ? modes[wanted] : modes[penaltyAggregationOf(method)];
  if (!isSet && mode !== undefined) part.actor.push(`${role}.actor.loss_agg_mode=${mode}`);
  if (isSet && method.aggregation !== "seqMeanTokenSumNorm") {
    refuse(part, "method.aggregation", `its Dr. GRPO aggregates by seqMeanTokenSumNorm, not by ${method.aggregation}`);
  }
  judgePenalties(part, spec, isSet ? "seq-mean-token-sum" : mode);
  if (clippingTraits[method.clipping.kind].fixesAggregation !== null && method.aggregation !== wanted) {
    const message = `${method.aggregation} is not passed: this loss aggregates by ${wanted} in the studio and in the trainer`;
    part.notes.push({ path: "method.aggregation", message });
  }
}

function refuseOwnMode(part: MethodPart, method: RunSpec["method"], { loss, flavour }: Chosen): void {
  const own = flavour.ownModes[loss];
  const wanted = effectiveAggregation(method);
  if (own === undefined || modes[wanted] === own || modes[wanted] === undefined) return;
  if (loss === "gspo" && wanted === "seqMeanTokenSum") {
    const message = "its loss of whole rows is a mean over their tokens; a sum is LUSPO, which it has not";
    refuse(part, "method.aggregation", message);
    return;
  }
  const [theirs] = Object.entries(modes).find(([, mode]) => mode === own) ?? [own];
  const message = `${flavour.trainer}'s ${loss} aggregates by ${theirs}, not by ${wanted}: set aggregation to ${theirs}`;
  part.problems.push({ path: "method.aggregation", message, instead: theirs });
}

/**
 * Checks how KL and entropy are aggregated. If both the trainer and the specification take means, a difference gives
 * a note. Otherwise a difference is rejected, because a sum is larger by the number of tokens.
 */
function judgePenalties(
  part: MethodPart,
  { method, update }: Pick<RunSpec, "method" | "update">,
  acting: string | undefined,
): void {
  const wanted = penaltyAggregationOf(method);
  const hasKl = update.klCoef > 0 && update.klPlacement === "loss";
  if (modes[wanted] === acting || acting === undefined || !(hasKl || update.entropyCoef > 0)) return;
  const path = "method.penaltyAggregation";
  const [theirs] = Object.entries(modes).find(([, mode]) => mode === acting) ?? [acting];
  const areMeans = [wanted, theirs].every((one) => one === "tokenMean" || one === "seqMeanTokenMean");
  if (areMeans) {
    const message = `${wanted} is not passed: KL and entropy follow the loss's aggregation, ${theirs}`;
    part.notes.push({ path, message });
  } else {
    const message = `KL and entropy cannot be aggregated by ${wanted} beside this policy term: set penaltyAggregation to ${theirs}, or their coefficients to 0`;
    part.problems.push({ path, message, instead: theirs });
  }
}
