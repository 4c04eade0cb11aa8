import { formatCount, lowerFirst } from "#packages/base";
import { describeMetric } from "#trainer/spec/metric.ts";
import { writeSpread } from "#packages/statistics";
import type { Estimate } from "#packages/tables";
import type { Numbers } from "./compute.ts";
import type { Panel } from "./panels.ts";

/** Maximum number of columns that the sentence describes. */
const maxSaid = 3;

type Placed = { name: string; of: Estimate };

/** Result of a table in sentences: the best two rows of each environment, and the significant differences. */
export function sayTable({ panels, rows, layout: { baseline, all }, tests }: Numbers): string {
  const said = panels.flatMap((panel, c) => {
    const { better } = panel.metric;
    if (!panel.isMain || better === "none") return [];
    const sign = better === "down" ? -1 : 1;
    const placed = rows
      .flatMap(({ row, cells }): Placed[] => {
        const cell = cells[c];
        return cell?.kind === "estimate" && Number.isFinite(cell.mean) ? [{ name: row.key, of: cell }] : [];
      })
      .toSorted((a, b) => sign * (b.of.mean - a.of.mean));
    const where = all.environments.length > 1 && panel.environment !== undefined ? `In ${panel.environment}, ` : "";
    const others = placed.filter(({ name }) => name !== baseline?.key);
    const against = tests.size === 0 || !baseline || others.length === 0 ? "" : sayDifferences(others, baseline.key);
    const best = `${where}${sayBest(placed, panel)}${against}.`;
    return placed.length < 2 ? [] : [`${best.charAt(0).toUpperCase()}${best.slice(1)}`];
  });
  return said.slice(0, maxSaid).join(" ");
}

function sayBest([first, second]: readonly Placed[], { metric, metricKey }: Panel): string {
  const write = ({ name, of }: Placed) =>
    `${name}, ${writeSpread({ mean: of.mean, interval: of.interval ?? null }, metric)}`;
  if (!first || !second) return "";
  const title = lowerFirst(describeMetric(metricKey).title);
  return `${metric.better === "down" ? "lowest" : "highest"} ${title}: ${write(first)}, then ${write(second)}`;
}

function sayDifferences(others: readonly Placed[], baseline: string): string {
  const tested = others.filter(({ of }) => of.correctedP !== undefined);
  if (tested.length === 0) return "";
  const numApart = tested.filter(({ of }) => (of.correctedP ?? 1) < 0.05).length;
  if (numApart === 0) return `; no difference from ${baseline} is significant`;
  return `; ${formatCount(numApart, "row differs", "rows differ")} significantly from ${baseline}`;
}
