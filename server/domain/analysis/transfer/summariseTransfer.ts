import { writeDifference } from "#packages/statistics";
import type { TransferReport } from "./transfer.ts";

/**
 * Counts the environments in which training elsewhere raises or lowers success, with the largest effects. Success is
 * compared with that before training or, if that is unknown, with that of runs trained there.
 */
export function summariseTransfer({ columns, rows }: TransferReport, titleOf: (environment: string) => string): string {
  const away = rows.flatMap(({ environment, configuration, cells }) =>
    cells.flatMap((cell, i) =>
      cell.isOwn ? [] : [{ ...cell, configuration, pair: `${titleOf(environment)} to ${titleOf(columns[i] ?? "")}` }],
    ),
  );
  const areSeveral = new Set(rows.map(({ configuration }) => configuration)).size > 1;
  const key = away.some(({ change }) => change.n > 0) ? "change" : "toOwn";
  const known = away.filter((one) => one[key].n > 0).toSorted((a, b) => b[key].mean - a[key].mean);
  if (known.length === 0) return "";
  const write = (those: readonly (typeof away)[number][], one = those[0]): string => {
    if (!one) return "";
    const { mean: value, interval } = one[key];
    const name = areSeveral ? `${one.configuration}, ${one.pair}` : one.pair;
    return ` (${those.length > 1 ? "most from " : ""}${name}: ${writeDifference({ value, interval }, { unit: "fraction" })} points)`;
  };
  const raised = known.filter((one) => (one[key].interval?.low ?? NaN) > 0);
  const lowered = known.filter((one) => (one[key].interval?.high ?? NaN) < 0);
  const numRest = known.length - raised.length - lowered.length;
  return [
    `Training elsewhere${key === "toOwn" ? " instead of there" : ""} raises success in ${raised.length} of ${known.length} transfers${write(raised)}`,
    ...(lowered.length > 0 ? [`lowers it in ${lowered.length}${write(lowered.toReversed())}`] : []),
    ...(numRest > 0 ? [`no effect is shown for ${numRest}`] : []),
  ]
    .join("; ")
    .concat(".");
}
