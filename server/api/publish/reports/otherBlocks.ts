import { describeMetric } from "#trainer/spec/metric.ts";
import { readFindings } from "../../analysis/claims.ts";
import { readHeadline } from "../../runs/headline.ts";
import { readRunTable } from "../../runs/runTable.ts";
import { readTableStudy } from "../tableInput.ts";
import { readTable } from "../tables.ts";
import type { Database } from "#server/db/storage/client.ts";
import { readFields } from "#server/db/runs/table/catalogue.ts";
import { readSweep } from "#server/db/plan/sweeps.ts";
import { describeLeftOut, describeTest } from "#server/domain/analysis/claims/describePart.ts";
import type { Finding } from "#server/domain/analysis/claims/findings.ts";
import type { FieldsOf } from "#server/domain/publish/reports/blocks.ts";
import { indexFields } from "#server/domain/runs/table/findField.ts";
import { chooseMetric } from "#packages/statistics";
import { describeOpen } from "#server/domain/runs/progress.ts";
import { toYaml } from "#server/domain/plan/sweep/plan.ts";
import { escapeHtml, toHtml } from "#server/domain/publish/tables/html.ts";
import { queryFixed } from "#server/domain/publish/tables/proof.ts";
import { formatCount } from "#packages/base";
import { requireSweeps } from "./requireSweeps.ts";
import { toRunTable } from "./toTable.ts";

export async function renderHeadline(database: Database, { sweep }: FieldsOf<"headline">): Promise<string> {
  await requireSweeps(database, [sweep]);
  const [{ sentence }, { counts }] = await Promise.all([readHeadline(database, sweep), readSweep(database, sweep)]);
  const told = sentence === "" ? "No run has a value after training began." : sentence;
  return `<p class="headline">${escapeHtml([told, describeOpen(counts)].filter(Boolean).join(" "))}</p>`;
}

/** The table itself, with the hash that proves it where all its runs are over. */
export async function renderTable(
  database: Database,
  { sweep: sweepIds, kind, metric }: FieldsOf<"table">,
): Promise<string> {
  await requireSweeps(database, sweepIds);
  const key = metric ?? (await usualMetric(database, sweepIds));
  const table = await readTable(database, queryFixed({ kind, sweepIds, metric: key }));
  const { proof } = table.provenance;
  const proved =
    proof === undefined ? "Runs are not over: not proved." : `Proof ${proof}: npx arlarena table verify ${proof}`;
  return `<div class="wide" role="group" tabindex="0" aria-label="Table">${toHtml(table)}</div><p class="note">${escapeHtml(proved)}</p>`;
}

async function usualMetric(database: Database, sweepIds: readonly string[]): Promise<string> {
  return chooseMetric((await readTableStudy(database, sweepIds)).metrics);
}

const outcomes: Record<Finding["outcome"], string> = {
  supported: "✓ Supported",
  contradicted: "✕ Contradicted",
  chance: "? Could be chance",
  notEnough: "? Not enough data",
};

export async function renderFindings(
  database: Database,
  { sweep: sweepIds, metric }: FieldsOf<"findings">,
): Promise<string> {
  await requireSweeps(database, sweepIds);
  const key = metric ?? (await usualMetric(database, sweepIds));
  const { findings, numRuns } = await readFindings(database, { sweepIds, metric: key });
  const answered = findings.filter(({ parts }) => parts.some(({ numContexts }) => numContexts > 0));
  const items = answered.map(({ claim, outcome, parts, source }) => {
    const tests = parts.map((part) => {
      const sides = part.sides.map(({ name, figure, n }) => `${name}: ${figure}, ${formatCount(n, "run")}`).join("; ");
      const leftOut = part.numLeftOut > 0 ? ` ${describeLeftOut(part)}` : "";
      return `<br><small>${escapeHtml(`${part.question} ${sides}. ${describeTest(part)}${leftOut}`)}</small>`;
    });
    return `<li><b>${outcomes[outcome]}:</b> ${escapeHtml(claim)} <small>(${escapeHtml(source)})</small>${tests.join("")}</li>`;
  });
  const rest = formatCount(findings.length - answered.length, "more claim");
  return [
    `<p class="note">${formatCount(numRuns, "finished run")}; ${escapeHtml(describeMetric(key).title.toLowerCase())}, final window.</p>`,
    `<ul class="findings">${items.join("")}</ul>`,
    answered.length < findings.length ? `<p class="note">There are no runs to compare for ${rest}.</p>` : "",
  ].join("");
}

export async function renderSettings(database: Database, { sweep: sweepId }: FieldsOf<"settings">): Promise<string> {
  const { plan, name, numRuns, createdAt } = await readSweep(database, sweepId);
  const head = `${name}: ${formatCount(numRuns, "run")}, created ${createdAt.toISOString().slice(0, 10)}`;
  if (plan === null)
    return `<p class="note">${escapeHtml(head)}; another trainer carried it out, so there is no plan.</p>`;
  const code = `<pre tabindex="0">${escapeHtml(toYaml(plan))}</pre>`;
  return `<p class="note">${escapeHtml(head)}</p><details><summary>The plan, which launches it again</summary>${code}</details>`;
}

export async function renderRuns(
  database: Database,
  { filter, columns, sort, limit }: FieldsOf<"runs">,
): Promise<string> {
  const index = indexFields(await readFields(database.pool));
  const order = sort === undefined ? [] : [{ field: sort.replace(/^-/, ""), isDescending: sort.startsWith("-") }];
  const { rows, total } = await readRunTable(database, { filter, columns, order, offset: 0, limit });
  const fields = columns.flatMap((key) => index.find(key) ?? []);
  const table = toRunTable(
    fields,
    rows.map(({ values }) => values),
  );
  const count = total > rows.length ? `${rows.length} of ${formatCount(total, "run")}` : formatCount(total, "run");
  return `${table}<p class="note">${count}${filter === "" ? "" : `: ${escapeHtml(filter)}`}</p>`;
}
