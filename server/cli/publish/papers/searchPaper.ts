import type { Database } from "#server/db/storage/client.ts";
import { readSeries } from "#server/db/runs/points.ts";
import { readCells, readRuns } from "#server/db/runs/runs.ts";
import { AppError, formatCount } from "#packages/base";
import { readEnding } from "#server/domain/publish/papers/search/choose.ts";
import { applySearch, isSearchOf, planSearch } from "#server/domain/publish/papers/search/search.ts";
import type { PaperItem, Recipe, Scale } from "#server/domain/publish/papers/paper.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";
import { parsePlan, toYaml } from "#server/domain/plan/sweep/plan.ts";
import type { Outcome, Studio } from "../../command.ts";
import { findSweep } from "../../client/findSweep.ts";
import { createChecked } from "../../client/runSweep.ts";
import { checkPreset } from "./launchPaper.ts";

type Search = { item: PaperItem; recipe: Recipe; scale: Scale };

/** Creates the searches of the methods' settings, one per preset, and prints the next command. */
export async function searchPaper({ item, recipe, scale }: Search, studio: Studio): Promise<Outcome> {
  const revise = (yaml: string) => toYaml(planSearch(parsePlan(yaml)));
  const checked = await Promise.all(recipe.presets.map((preset) => checkPreset(studio.home, preset, revise)));
  const sweeps = [];
  for (const one of checked) sweeps.push(await createChecked(studio, one));
  const lines = sweeps.map(({ id, name, numRuns }) => `Sweep ${id}: ${name}, ${numRuns} runs`);
  const next = `npx arlarena paper ${item.id} --scale ${scale} --searched ${sweeps.map(({ id }) => id).join(" ")}`;
  const text = [...lines, `When the searches have ended, launch the paper's sweeps: ${next}`].join("\n");
  return { text, json: { item: item.id, scale, sweeps }, exitCode: 0 };
}

/** Replaces a preset's settings by those that its search selected. Throws if a search is missing or unfinished. */
export async function makeSearched(database: Database, texts: readonly string[]): Promise<(yaml: string) => string> {
  const searches = await Promise.all(
    texts.map(async (text) => {
      const { id, name } = await findSweep(database, text);
      return { sweep: id, name, endings: await readEndings(database, id) };
    }),
  );
  return (yaml) => {
    const plan = parsePlan(yaml);
    const search = searches.find(({ name }) => isSearchOf(plan, name));
    if (!search) throw new AppError("not_found", `none of the sweeps given is the search for ${plan.name}`);
    return toYaml(applySearch(plan, search));
  };
}

/** Reads the runs' final success in a search's sweep, by the name of the tested configuration. */
async function readEndings(database: Database, sweepId: string) {
  const scope = { sweepIds: [sweepId] };
  const [cells, runs] = await Promise.all([readCells(database, scope), readRuns(database, scope)]);
  const numOpen = runs.filter(({ status }) => !isOver(status)).length;
  if (numOpen > 0)
    throw new AppError("conflict", `still in progress: ${numOpen} of ${formatCount(runs.length, "run")} of ${sweepId}`);
  const curves = await readSeries(database.pool, {
    runIds: runs.map(({ id }) => id),
    keys: ["evaluation/successRate"],
  });
  const methodOf = new Map(cells.map(({ id, method }) => [id, method]));
  const cellOf = new Map(runs.map(({ id, cellId }) => [id, cellId]));
  return new Map(curves.map((curve) => [methodOf.get(cellOf.get(curve.runId) ?? -1) ?? "", readEnding(curve)]));
}
