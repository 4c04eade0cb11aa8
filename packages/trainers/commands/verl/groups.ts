import type { Method } from "#trainer/spec/method.ts";
import type { Flavour } from "./flavour.ts";
import { refuse, type MethodPart } from "./part.ts";

/** Overrides for the selection of groups. */
export function groupArguments(
  sampling: Method["sampling"],
  { trainer, countsSteps, filtersBy }: Flavour,
  part: MethodPart,
): string[] {
  if (filtersBy === "oversampling") return oversamplingArguments(sampling, part);
  if (sampling.kind === "all") return [];
  if (filtersBy === "refill") return refillArguments(sampling, part);
  if (filtersBy === null) {
    refuse(part, "method.sampling.kind", `${trainer} before 0.9 trains on all groups`);
    return [];
  }
  if (sampling.kind !== "dynamic") {
    refuse(part, "method.sampling.kind", `there is no ${sampling.kind} sampling of groups`);
    return [];
  }
  const flags = [
    "algorithm.filter_groups.enable=True",
    `algorithm.filter_groups.max_num_gen_batches=${sampling.maxTries}`,
  ];
  const path = "method.sampling.coldStartIterations";
  if (trainer === "verl-agent") {
    if (sampling.coldStartIterations > 0)
      refuse(part, path, `${sampling.coldStartIterations} is refused: it has no cold start`);
    return flags;
  }
  if (!countsSteps && sampling.coldStartIterations > 0) {
    const message = `${sampling.coldStartIterations} is not passed: dynamic sampling starts at once, this recipe does not count steps for it`;
    part.notes.push({ path, message });
  }
  // If the step is never passed it stays 0, and filtering begins once it exceeds the cold start.
  return [...flags, `algorithm.filter_groups.cold_start_steps=${countsSteps ? sampling.coldStartIterations : -1}`];
}

/** One larger batch without uniform groups; missing groups are filled with copies. */
function oversamplingArguments(sampling: Method["sampling"], part: MethodPart): string[] {
  if (sampling.kind === "all") return ["trainer.rejection_sample=False", "trainer.oversample_multiplier=1"];
  if (sampling.kind !== "oversample") {
    const message = `there is no ${sampling.kind} sampling of groups; oversample is what this recipe does`;
    refuse(part, "method.sampling.kind", message);
    return [];
  }
  if (sampling.maxTries > 1) {
    const message = `${sampling.maxTries} is not passed: it tries once and fills up with copies of the groups that it found`;
    part.notes.push({ path: "method.sampling.maxTries", message });
  }
  if (sampling.signal !== "reward") {
    const message = `${sampling.signal} is not passed: groups are uniform there when their rewards are`;
    part.notes.push({ path: "method.sampling.signal", message });
  }
  return ["trainer.rejection_sample=True", `trainer.oversample_multiplier=${sampling.factor}`];
}

/** Groups with equal rewards are replaced by fresh ones until the batch is full, without a limit of attempts. */
function refillArguments(sampling: Method["sampling"], part: MethodPart): string[] {
  if (sampling.kind === "all") return [];
  if (sampling.kind !== "dynamic") {
    refuse(part, "method.sampling.kind", `there is no ${sampling.kind} sampling of groups; dynamic is what verl does`);
    return [];
  }
  if (sampling.coldStartIterations > 0) {
    const message = `${sampling.coldStartIterations} is refused: verl filters from the first step on`;
    refuse(part, "method.sampling.coldStartIterations", message);
  }
  const message = `${sampling.maxTries} is not passed: verl draws groups until its batch is full`;
  part.notes.push({ path: "method.sampling.maxTries", message });
  return ["algorithm.filter_groups.enable=True", "algorithm.filter_groups.metric=reward"];
}
