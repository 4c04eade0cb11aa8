import { isRate, writeDifference, writeFigure } from "#packages/statistics";
import { formatCount } from "#packages/base";
import { type Part, standardised } from "./sides.ts";

/** Describes the result of a group: "mean 64.8 %", "mean −1.20 SD", or counted collapses. */
export function describeSide({ figure }: Part["sides"][number], { unit = "" }: Part): string {
  if (typeof figure === "string") return figure;
  return Number.isNaN(figure.mean) ? "mean unknown" : `mean ${writeFigure(figure.mean, { unit })}${behind(unit)}`;
}

/** Unit of standardised values, which no formatter of a metric writes. */
const behind = (unit: string): string => (unit === standardised ? ` ${standardised}` : "");

/** Describes a result: "Difference +21.4 [10, 32] points, unpaired; Welch's t, p < 0.001. Yes.". */
export function describeTest(part: Part): string {
  const { difference: value, unit = "", interval, p, numLooks, test, isPaired, outcome, reason } = part;
  const hasInterval = Number.isFinite(interval.low);
  const written = writeDifference({ value, interval: hasInterval ? interval : null }, { unit });
  const found = Number.isFinite(value) ? [`Difference ${written}${isRate({ unit }) ? " points" : behind(unit)}`] : [];
  const within = hasInterval ? `, ${isPaired ? "paired" : "unpaired"}` : "";
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
