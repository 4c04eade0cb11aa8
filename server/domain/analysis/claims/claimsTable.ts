import {
  type BareTable,
  estimateCell,
  numberCell,
  numberColumn,
  pColumn,
  type Row,
  textColumn,
} from "#packages/tables";
import { formatCount } from "#packages/base";
import { isRate } from "#packages/statistics";
import type { Finding } from "./findings.ts";
import { standardised } from "./sides.ts";

export const outcomeWords: Readonly<Record<Finding["outcome"], string>> = {
  supported: "supported",
  contradicted: "contradicted",
  chance: "could be chance",
  notEnough: "not enough data",
};

/** Tabulates the verdict on each claim, and each test in a row of its own, in the metric's unit or as a fraction. */
export function toClaimsTable(findings: readonly Finding[], metric: { unit: string }): BareTable {
  const tested = findings.filter(({ parts }) => parts.some(({ numContexts }) => numContexts > 0));
  return {
    caption: "Claims of the papers, tested on these runs: difference of the compared groups with its 95 % interval.",
    columns: [
      textColumn("claim", "Claim"),
      textColumn("verdict", "Verdict"),
      textColumn("question", "Test"),
      numberColumn("runs", "Runs"),
      isRate(metric)
        ? { ...numberColumn("difference", "Difference"), unit: "points", format: { shift: 2, decimals: 1 } }
        : numberColumn("difference", "Difference", 3),
      pColumn("p", "p"),
    ],
    rows: tested.flatMap(({ id, claim, outcome, parts }) =>
      parts.map((part, i): Row => {
        const runIds = [...new Set(part.sides.flatMap((side) => side.runIds))];
        const { difference, interval, p } = part;
        return {
          cells: [
            { kind: "text", text: i === 0 ? claim : "", key: id },
            { kind: "text", text: i === 0 ? outcomeWords[outcome] : "", key: outcome },
            { kind: "text", text: part.question, key: String(i) },
            { kind: "number", value: runIds.length },
            Number.isFinite(difference) ? estimateCell(difference, runIds.length, interval) : { kind: "missing" },
            numberCell(p),
          ],
          runIds,
          block: id,
        };
      }),
    ),
    notes: [
      ...(tested.length < findings.length
        ? [`There are no runs to compare for ${findings.length - tested.length} more claims.`]
        : []),
      ...(metric.unit === standardised ? ["Differences are in standard deviations within each environment."] : []),
      ...(!isRate(metric) && tested.some(({ parts }) => parts.some(({ unit }) => unit === "fraction"))
        ? ["Differences of collapse rates, and of success in other environments, are fractions."]
        : []),
    ],
    isUnmarked: true,
  };
}

/** Counts the verdicts: "Of 26 claims, 7 have enough runs here: 1 contradicted, 6 could be chance.". */
export function summariseClaims(findings: readonly Finding[]): string {
  const answered = findings.filter(({ outcome }) => outcome !== "notEnough");
  if (answered.length === 0) return `None of ${formatCount(findings.length, "claim")} has enough runs here.`;
  const counts = (["contradicted", "supported", "chance"] as const).flatMap((wanted) => {
    const count = answered.filter(({ outcome }) => outcome === wanted).length;
    return count > 0 ? [`${count} ${outcomeWords[wanted]}`] : [];
  });
  const have = answered.length === 1 ? "has" : "have";
  return `Of ${formatCount(findings.length, "claim")}, ${answered.length} ${have} enough runs here: ${counts.join(", ")}.`;
}

/** Names one or two contradicted claims; empty for more. */
export function nameContradicted(findings: readonly Pick<Finding, "claim" | "outcome">[]): string {
  const named = findings.flatMap(({ claim, outcome }) =>
    outcome === "contradicted" ? [`“${claim.replace(/\.$/, "")}”`] : [],
  );
  return named.length === 0 || named.length > 2 ? "" : `Contradicted: ${named.join(" and ")}.`;
}
