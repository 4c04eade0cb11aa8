import { writeInterval } from "#packages/statistics";
import { formatCount } from "#packages/base";
import type { Part } from "./sides.ts";

/** Describes a result: "Difference 0.21 [0.10, 0.32], unpaired; Welch's t, p < 0.001. Yes.". */
export function describeTest({ difference, interval, p, numLooks, test, isPaired, outcome, reason }: Part): string {
  const found = Number.isFinite(difference) ? [`Difference ${difference.toPrecision(2)}`] : [];
  const within = Number.isFinite(interval.low)
    ? ` ${writeInterval(interval, "significant")}, ${isPaired ? "paired" : "unpaired"}`
    : "";
  const chance = Number.isFinite(p)
    ? [`${test}, p ${p < 0.001 ? "< 0.001" : `= ${p.toFixed(3)}`}${numLooks ? `, after ${numLooks} looks` : ""}`]
    : [];
  const details = [found.map((text) => text + within).join(""), ...chance].filter(Boolean).join("; ");
  const answer =
    outcome === "supported"
      ? "Yes."
      : outcome === "contradicted"
        ? "No: the opposite is significant."
        : `Open: ${reason}.`;
  return details === "" ? answer : `${details}. ${answer}`;
}

export function describeLeftOut({ numLeftOut, sides }: Part): string {
  const where =
    sides.length > 2 ? "not every group has a run with the same" : "the other group has no run with the same";
  return `${formatCount(numLeftOut, "run")} left out: ${where} other settings.`;
}
