import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { PaperItem, Recipe, Scale } from "#server/domain/papers/paper.ts";
import { root } from "#server/start/root.ts";
import type { Studio } from "../client/connect.ts";
import { createFromYaml, watchToTheEnd } from "../client/runSweep.ts";
import type { Outcome, Screen } from "../outcome.ts";
import { printResult, type Format } from "./printResult.ts";

type Launch = { item: PaperItem; recipe: Recipe; scale: Scale; watch?: true | undefined; format: Format };

/** Creates a sweep for each preset, all at once; watched, prints the result so far whenever one of them ends. */
export async function launchPaper(
  { item, recipe, scale, watch, format }: Launch,
  studio: Studio,
  screen: Screen,
): Promise<Outcome> {
  const created = [];
  for (const preset of recipe.presets) {
    const yaml = await readFile(join(root, "public", "presets", `${preset}.yaml`), "utf8");
    created.push(await createFromYaml(studio, yaml));
  }
  const ids = created.map(({ id }) => id);
  const again = `npx arlarena paper ${item.id} --scale ${scale} --from ${ids.join(" ")}`;
  const lines = created.map(({ id, name, numRuns }) => `Sweep ${id}: ${name}, ${numRuns} runs`);
  if (!watch) {
    const text = [...lines, `When they are over, or before: ${again}`].join("\n");
    return { text, json: { item: item.id, scale, sweeps: created }, exitCode: 0 };
  }
  screen.write(`${lines.join("\n")}\n`);
  let isWhole = true;
  for (const [i, id] of ids.entries()) {
    const { exitCode, text } = await watchToTheEnd(studio.database, { id, json: {}, screen });
    isWhole &&= exitCode === 0;
    const part = await printResult(studio, recipe, { sweeps: ids.slice(0, i + 1), format });
    screen.write(`${text}\n\n${part.text}\n\n`);
  }
  const { json } = await printResult(studio, recipe, { sweeps: ids, format });
  return { text: `Again, at any time: ${again}`, json: { ...json, scale }, exitCode: isWhole ? 0 : 1 };
}
