import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError, badInput } from "#packages/base";
import type { PaperItem, Recipe, Scale } from "#server/domain/publish/papers/paper.ts";
import { root } from "#server/start/root.ts";
import type { Outcome, Screen, Studio } from "../../command.ts";
import { checkYaml, createChecked, watchToTheEnd } from "../../client/runSweep.ts";
import type { TableFormat } from "#packages/tables";
import { printResult } from "./printResult.ts";

type Revise = (yaml: string) => string;
type Launch = {
  item: PaperItem;
  recipe: Recipe;
  scale: Scale;
  watch?: true | undefined;
  format: TableFormat;
  /** Edits each preset's YAML, as to use the settings that a hyperparameter search selected. */
  revise?: Revise;
};

/**
 * Creates a paper's sweeps, or none if a preset is rejected. With --watch, prints the result so far at each sweep's
 * end.
 */
export async function launchPaper(
  { item, recipe, scale, watch, format, revise }: Launch,
  studio: Studio,
  screen: Screen,
): Promise<Outcome> {
  const checked = await Promise.all(recipe.presets.map((preset) => checkPreset(studio.home, preset, revise)));
  const created = [];
  for (const one of checked) created.push(await createChecked(studio, one));
  const ids = created.map(({ id }) => id);
  const again = `npx arlarena paper ${item.id} --scale ${scale} --from ${ids.join(" ")}`;
  const lines = created.map(({ id, name, numRuns }) => `Sweep ${id}: ${name}, ${numRuns} runs`);
  if (!watch) {
    const text = [...lines, `To print the result, now or when the sweeps have ended: ${again}`].join("\n");
    return { text, json: { item: item.id, scale, sweeps: created }, exitCode: 0 };
  }
  screen.write(`${lines.join("\n")}\n`);
  let isWhole = true;
  for (const [i, id] of ids.entries()) {
    const { exitCode, text } = await watchToTheEnd(studio.database, { id, json: {}, screen });
    isWhole &&= exitCode === 0;
    const part = await printResult(studio, { id: item.id, recipe }, { sweeps: ids.slice(0, i + 1), format });
    screen.write(`${text}\n\n${part.text}\n\n`);
  }
  const { json } = await printResult(studio, { id: item.id, recipe }, { sweeps: ids, format });
  return { text: `Again, at any time: ${again}`, json: { ...json, scale }, exitCode: isWhole ? 0 : 1 };
}

/** Checks a preset sweep file after `revise` has edited its settings. Errors name the preset. */
export async function checkPreset(home: string, preset: string, revise: Revise = (yaml) => yaml) {
  const yaml = await readPreset(preset);
  try {
    return checkYaml(home, revise(yaml));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "bad_input") throw error;
    throw badInput(error.issues.map((issue) => ({ ...issue, path: [preset, issue.path].filter(Boolean).join(": ") })));
  }
}

export function readPreset(preset: string): Promise<string> {
  return readFile(join(root, "public", "presets", `${preset}.yaml`), "utf8");
}
