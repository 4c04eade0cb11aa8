import { readSweep } from "#server/db/plan/sweeps.ts";
import { readReport } from "#server/db/publish/reports.ts";
import { readFields } from "#server/db/runs/table/catalogue.ts";
import { readRunsById } from "#server/db/runs/table/rows.ts";
import { toYaml } from "#server/domain/plan/sweep/plan.ts";
import { shortenTable, sortResults } from "#server/domain/publish/reports/arrangeTable.ts";
import { reportOfSweep } from "#server/domain/publish/reports/template.ts";
import type { Shared } from "#server/domain/publish/links.ts";
import { describeOpen } from "#server/domain/runs/progress.ts";
import { indexFields } from "#server/domain/runs/table/findField.ts";
import { tellProgress } from "../../progress.ts";
import type { Database } from "#server/db/storage/client.ts";
import { toProblem } from "../../problem.ts";
import { AppError, assertNever, formatCount } from "#packages/base";
import type { Block, FieldsOf } from "#server/domain/publish/reports/blocks.ts";
import { parseReport, type ReportPart } from "#server/domain/publish/reports/parseReport.ts";
import { escapeHtml, type Table, toHtml } from "#packages/tables";
import { nameTask } from "#server/domain/environments/taskSeed.ts";
import { questions } from "#server/domain/analysis/questions.ts";
import { askedSchema } from "#server/domain/analysis/questionOptions.ts";
import { renderMarkdown } from "../../renderMarkdown.ts";
import { readHeadline } from "../../runs/headline.ts";
import { readRunTable } from "../../runs/runTable.ts";
import { readEpisode, readEpisodeIndex, type EpisodeHead } from "../../runs/episodes.ts";
import { readAttemptFolder, readAttemptFolders, readRun } from "#server/db/runs/runs.ts";
import { shortLabel } from "#server/domain/plan/sweep/labels/labelTitles.ts";
import { readBuiltTable } from "../builtTables.ts";
import { answer, readTable } from "../answers.ts";
import { chooseReportMetrics } from "./chooseMetrics.ts";
import { requireSweeps } from "./requireSweeps.ts";
import { toRunTable } from "./toTable.ts";

/** Rendered HTML of each figure or table block of a frozen report, by the block's source text. */
export type FrozenBlocks = ReadonlyMap<string, string>;
export type RenderedReport = { html: string; problems: { line: number; message: string }[] };

const maxBlocks = 60;

/** Renders a report as HTML without script. Instead of a block that fails, its reason appears, also in `problems`. */
export async function renderReport(database: Database, body: string, frozen?: FrozenBlocks): Promise<RenderedReport> {
  const problems: RenderedReport["problems"] = [];
  const rendered: string[] = [];
  const refuse = (line: number, message: string) => {
    problems.push({ line, message });
    rendered.push(`<p class="problem">⚠ Line ${line}: ${escapeHtml(message)}</p>`);
  };
  const parts = limitBlocks(parseReport(body));
  for (const [i, part] of parts.entries()) {
    if (part.kind === "block") tellProgress("Preparing parts of the report", i + 1, parts.length);
    if (part.kind === "text") rendered.push(`<div class="prose">${renderMarkdown(part.text, 1)}</div>`);
    else if (part.kind === "problem") refuse(part.line, part.message);
    else if (frozen) {
      const html = frozen.get(part.source);
      if (html === undefined)
        refuse(
          part.line,
          `${part.block.kind}: this block is not among the frozen ones; make the report live, or freeze it again`,
        );
      else rendered.push(html);
    } else {
      const shown = await tryBlock(database, part.block);
      if (typeof shown === "string") rendered.push(shown);
      else refuse(part.line, `${part.block.kind}: ${shown.message}`);
    }
  }
  return { html: placeCharts(rendered).join("\n"), problems };
}

function placeCharts(rendered: readonly string[]): string[] {
  const isChart = (html: string | undefined) => html?.startsWith('<figure class="chart">') === true;
  return rendered.map((html, i) => {
    if (!isChart(html)) return html;
    return `${isChart(rendered[i - 1]) ? "" : '<div class="charts">'}${html}${isChart(rendered[i + 1]) ? "" : "</div>"}`;
  });
}

/** Renders the figure and table blocks of a report, for freezing. Blocks that cannot be rendered are omitted. */
export async function freezeBlocks(database: Database, body: string): Promise<Map<string, string>> {
  const blocks = new Map<string, string>();
  for (const part of limitBlocks(parseReport(body))) {
    if (part.kind !== "block") continue;
    const shown = await tryBlock(database, part.block);
    if (typeof shown === "string") blocks.set(part.source, shown);
  }
  return blocks;
}

function limitBlocks(parts: readonly ReportPart[]): ReportPart[] {
  let numBlocks = 0;
  return parts.map((part) => {
    if (part.kind !== "block") return part;
    numBlocks += 1;
    if (numBlocks <= maxBlocks) return part;
    return {
      kind: "problem",
      line: part.line,
      message: `${part.block.kind}: this is block ${numBlocks} of the report; the limit is ${maxBlocks}`,
    };
  });
}

async function tryBlock(database: Database, block: Block): Promise<string | { message: string }> {
  try {
    return await renderBlock(database, block);
  } catch (error) {
    const { code, message } = toProblem(error);
    if (code === "internal") console.error(error);
    return { message };
  }
}

async function renderBlock(database: Database, block: Block): Promise<string> {
  switch (block.kind) {
    case "headline":
      return renderHeadline(database, block.fields);
    case "chart":
      // The chart renderer is imported on demand, because few requests draw charts.
      return (await import("./chartBlock.tsx")).renderChart(database, block.fields);
    case "table":
      return renderTable(database, block.fields);
    case "analysis":
      return renderAnswer(database, block.fields);
    case "settings":
      return renderSettings(database, block.fields);
    case "runs":
      return renderRuns(database, block.fields);
    case "episode":
      return renderEpisode(database, block.fields);
    default:
      return assertNever(block);
  }
}

type EpisodeBlock = FieldsOf<"episode">;

async function renderEpisode(database: Database, block: EpisodeBlock): Promise<string> {
  const { run: runId, turns: maxTurns } = block;
  const run = await readRun(database, runId);
  const { episodes } = await readEpisodeIndex(await readAttemptFolders(database, runId));
  const head = findEpisode(episodes, block);
  const episode = await readEpisode(await readAttemptFolder(database, runId, head.attempt), head.line);
  const title = `${[run.cell.method, shortLabel(run.cell.label)].filter(Boolean).join(" · ")}, seed ${run.seed}, iteration ${head.iteration}, ${nameTask(head.seed)}`;
  const end = `${head.isSuccess ? "✓ Success" : "✕ No success"}, reward ${head.episodeReward}, ${formatCount(head.numTurns, "turn")}`;
  const items = episode.turns.slice(0, maxTurns).map(({ prompt, response, reward, isFormatValid, isActionValid }) => {
    const invalid = isFormatValid ? (isActionValid ? "" : "; the action is invalid") : "; the format is invalid";
    const wrote = response.map(({ token }) => token).join("");
    return `<li><pre tabindex="0">${escapeHtml(prompt)}</pre><pre class="wrote" tabindex="0">${escapeHtml(wrote)}</pre><small>Reward ${reward}${invalid}</small></li>`;
  });
  const more = episode.turns.length - items.length;
  return [
    `<figure class="episode"><figcaption><b>${escapeHtml(title)}</b> <small>${escapeHtml(end)}</small></figcaption>`,
    `<ol>${items.join("")}</ol>`,
    more > 0 ? toNote(`${formatCount(more, "more turn")} not shown.`) : "",
    "</figure>",
  ].join("");
}

function findEpisode(episodes: readonly EpisodeHead[], { run, iteration, number }: EpisodeBlock): EpisodeHead {
  const wanted = iteration ?? episodes.at(-1)?.iteration;
  const there = episodes.filter((episode) => episode.iteration === wanted);
  const found = there[number - 1];
  if (found) return found;
  if (wanted === undefined) throw new AppError("not_found", `run ${run} has no stored episodes`);
  if (there.length > 0)
    throw new AppError(
      "not_found",
      `number is ${number}: iteration ${wanted} has ${formatCount(there.length, "episode")}`,
    );
  const known = [...new Set(episodes.map((episode) => episode.iteration))];
  throw new AppError(
    "not_found",
    `run ${run} has no episodes of iteration ${wanted}; it has episodes of iterations ${known.slice(0, 20).join(", ")}`,
  );
}

/** Renders what a share link shows, as HTML without script. Only data of the shared item are read. */
export async function renderShared(database: Database, shared: Shared): Promise<{ title: string; html: string }> {
  switch (shared.kind) {
    case "sweep": {
      const sweep = await readSweep(database, shared.sweepId);
      const { body } = reportOfSweep(sweep, await chooseReportMetrics(database, sweep.id));
      return { title: sweep.name, html: (await renderReport(database, body)).html };
    }
    case "report": {
      const { title, body, frozen } = await readReport(database, shared.reportId);
      return { title, html: (await renderReport(database, body, frozen?.blocks)).html };
    }
    case "table": {
      const { table } = await readBuiltTable(database, shared);
      return { title: "Table", html: inRegion(toHtml(table)) };
    }
    case "analysis": {
      const { question, sweepIds, options } = shared;
      const html = await renderAnswer(database, { ...options, sweep: [...sweepIds], question });
      return { title: questions[question].title, html };
    }
    case "selection":
      return renderSelection(database, shared);
  }
}

async function renderSelection(
  { pool }: Database,
  { runIds, columns }: Extract<Shared, { kind: "selection" }>,
): Promise<{ title: string; html: string }> {
  const index = indexFields(await readFields(pool));
  const keys = [...new Set(["method", "configuration", "seed", ...columns])];
  const fields = keys.flatMap((key) => index.find(key) ?? []);
  const rows = await readRunsById(pool, runIds, fields);
  const html = toRunTable(
    fields,
    rows.map(({ values }) => values),
  );
  return { title: formatCount(rows.length, "run"), html };
}

function inRegion(html: string): string {
  return `<div class="wide" role="group" tabindex="0" aria-label="Table">${html}</div>`;
}

async function renderHeadline(database: Database, { sweep }: FieldsOf<"headline">): Promise<string> {
  await requireSweeps(database, [sweep]);
  const [{ sentence }, { counts }] = await Promise.all([readHeadline(database, sweep), readSweep(database, sweep)]);
  const told = sentence === "" ? "No run has a result yet: none has logged a value after training began." : sentence;
  return `<p class="headline">${escapeHtml([told, describeOpen(counts)].filter(Boolean).join(" "))}</p>`;
}

async function renderTable(database: Database, { sweep: sweepIds, kind, metric }: FieldsOf<"table">): Promise<string> {
  await requireSweeps(database, sweepIds);
  const collapses = kind === "stability" && ({ collapses: "hindsight" } as const);
  return renderTableOf(
    sortResults(await readTable(database, { kind, sweepIds, ...(metric && { metric }), ...collapses })),
  );
}

async function renderAnswer(
  database: Database,
  { sweep: sweepIds, question, ...options }: FieldsOf<"analysis">,
): Promise<string> {
  await requireSweeps(database, sweepIds);
  const asked = askedSchema(question).parse({ sweepIds, ...options });
  const { sentence = "", table } = await answer(database, question, asked);
  return renderTableOf(table, sentence);
}

function renderTableOf(table: Table, sentence = ""): string {
  const { proof } = table.provenance;
  const command = `Proof ${proof}: npx arlarena table verify ${proof}`;
  const proved =
    proof === undefined
      ? toNote("No proof yet: runs are still in progress.")
      : `<details><summary>Verify these numbers</summary>${toNote(command)}</details>`;
  const head = sentence === "" ? "" : `<p class="headline">${escapeHtml(sentence)}</p>`;
  const shown = shortenTable(table);
  if (shown.rows.length > 0) return head + inRegion(toHtml(shown)) + proved;
  // Without rows, headings and notes would explain nothing, and the sentence says why there are none.
  return (head === "" ? toNote("No results yet.") : head) + proved;
}

function toNote(text: string): string {
  return `<p class="note">${escapeHtml(text)}</p>`;
}

async function renderSettings(database: Database, { sweep: sweepId }: FieldsOf<"settings">): Promise<string> {
  const { plan, name, numRuns, createdAt } = await readSweep(database, sweepId);
  const head = `${name}: ${formatCount(numRuns, "run")}, created ${createdAt.toISOString().slice(0, 10)}`;
  if (plan === null) return toNote(`${head}; another trainer ran this sweep, so there is no plan.`);
  const code = `<pre tabindex="0">${escapeHtml(toYaml(plan))}</pre>`;
  return `${toNote(head)}<details><summary>Plan of the sweep, to launch it again</summary>${code}</details>`;
}

async function renderRuns(database: Database, { filter, columns, sort, limit }: FieldsOf<"runs">): Promise<string> {
  const index = indexFields(await readFields(database.pool));
  const order = sort === undefined ? [] : [{ field: sort.replace(/^-/, ""), isDescending: sort.startsWith("-") }];
  const { rows, total } = await readRunTable(database, { filter, columns, order, offset: 0, limit });
  const fields = columns.flatMap((key) => index.find(key) ?? []);
  const table = toRunTable(
    fields,
    rows.map(({ values }) => values),
  );
  const count = total > rows.length ? `${rows.length} of ${formatCount(total, "run")}` : formatCount(total, "run");
  return table + toNote(filter === "" ? count : `${count}: ${filter}`);
}
