import type { Method } from "#trainer/spec/method.ts";
import { advantageTraits, clippingTraits, sequenceMaskOf } from "#trainer/spec/traits.ts";
import { decimal, type Flavour, type MethodPart, number, refuse, refuseOtherConstants, role } from "./part.ts";

export function clippingArguments(
  { clipping, advantage }: Method,
  { usualHigh, trainer }: Flavour,
  part: MethodPart,
): string[] {
  const actor = `${role}.actor`;
  const ranges = "low" in clipping ? clipping : undefined;
  // A ratio per response needs a range two orders of magnitude tighter than usual; a log-ratio needs another.
  const { ratio, range } = clippingTraits[clipping.kind];
  const isUnusual = ratio === "row" || range === "logRatio";
  const low = ranges && (isUnusual || ranges.low !== 0.2) ? [`${actor}.clip_ratio_low=${number(ranges.low)}`] : [];
  const high =
    ranges && (isUnusual || ranges.high !== usualHigh) ? [`${actor}.clip_ratio_high=${number(ranges.high)}`] : [];
  const soft =
    clipping.kind === "sapo"
      ? [`${actor}.tau_pos=${decimal(clipping.tauPositive)}`, `${actor}.tau_neg=${decimal(clipping.tauNegative)}`]
      : [];
  const mask = sequenceMaskOf(clipping);
  if (mask && trainer !== "ARLArena") {
    refuse(part, "method.clipping.sequenceMask", `${trainer} has no mask of sequences; ARLArena has`);
  }
  const masked = mask ? [`${actor}.use_seq_mask=True`, `${actor}.seq_mask_delta=${number(mask.delta)}`] : [];
  if ("dual" in clipping && clipping.dual === null) {
    refuse(part, "method.clipping.dual", "the dual clip cannot be switched off");
  }
  if (clipping.kind === "token" && clipping.twoSided !== undefined) {
    refuse(part, "method.clipping.twoSided", "its clip bounds ratios of negative advantages alone, by the dual clip");
  }
  const dual =
    "dual" in clipping && clipping.dual !== null && clipping.dual !== 3
      ? [`${actor}.clip_ratio_c=${number(clipping.dual)}`]
      : [];
  const divergence = clipping.kind === "divergence" ? divergenceArguments(clipping, part) : [];
  const dro = clipping.kind === "quadraticLog" ? [`${actor}.policy_loss.dro_beta=${decimal(clipping.beta)}`] : [];
  if ("anchor" in clipping && clipping.anchor === "sampler") {
    const message = "sampler is refused: verl's ratio is to the policy that the clip range is around";
    refuse(part, "method.clipping.anchor", message);
  }
  if (clipping.kind === "aepo") {
    refuseOtherConstants(part, "method.clipping", [[clipping.entropyWeight, 0.2, "entropyWeight"]]);
  }
  if (clipping.kind === "sequence") addCredit(part, clipping.credit, advantageTraits[advantage.kind].hasCritic);
  return [...low, ...high, ...soft, ...dual, ...divergence, ...dro, ...masked, ...covarianceArguments(clipping)];
}

/** verl credits token advantages, which without a critic all equal the response's advantage. */
function addCredit(part: MethodPart, credit: "row" | "token", hasCritic: boolean): void {
  const path = "method.clipping.credit";
  if (hasCritic && credit === "row") refuse(part, path, "its sequence clipping gives each token its advantage");
  if (!hasCritic && credit === "token") {
    part.notes.push({
      path,
      message: `token is not passed: without a critic all tokens of a row have one advantage`,
    });
  }
}

/** DPPO's loss masks only on the side of the advantage's sign and has a capped constant ratio. */
function divergenceArguments(
  { sided, surrogate, cap, drift }: Extract<Method["clipping"], { kind: "divergence" }>,
  part: MethodPart,
): string[] {
  const section = "method.clipping";
  if (sided === "both") refuse(part, `${section}.sided`, "both is refused: DPPO masks on the side of the advantage");
  if (surrogate === "ratio") refuse(part, `${section}.surrogate`, "ratio is refused: DPPO's ratio is a constant there");
  if (drift > 0) refuse(part, `${section}.drift`, `${drift} is refused: there is no penalty on the log-ratio`);
  if (cap === null) refuse(part, `${section}.cap`, "the cap of DPPO's ratio cannot be switched off");
  return cap === null ? [] : [`${role}.actor.clip_ratio_c=${number(cap)}`];
}

function covarianceArguments(clipping: Method["clipping"]): string[] {
  const section = `${role}.actor.policy_loss`;
  if (clipping.kind === "klCov") {
    return [`${section}.kl_cov_ratio=${number(clipping.share)}`, `${section}.ppo_kl_coef=${decimal(clipping.weight)}`];
  }
  if (clipping.kind !== "clipCov") return [];
  const { share, covarianceLow, covarianceHigh } = clipping;
  return [
    `${section}.clip_cov_ratio=${number(share)}`,
    `${section}.clip_cov_lb=${decimal(covarianceLow)}`,
    `${section}.clip_cov_ub=${decimal(covarianceHigh)}`,
  ];
}
