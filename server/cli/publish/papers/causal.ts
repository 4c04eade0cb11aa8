import { badInput } from "#packages/base";
import type { PaperItem, Recipe, Scale } from "#server/domain/publish/papers/paper.ts";
import type { Outcome, Screen, Studio } from "../../command.ts";
import { printAnswer } from "../../analysis/analyse.ts";
import { launchPaper } from "./launchPaper.ts";
import type { TableFormat } from "#packages/tables";

type Causal = { item: PaperItem; recipe: Recipe; scale: Scale; format: TableFormat };
type Into = { from: readonly string[] | undefined; studio: Studio; screen: Screen };

/** Launches Table 4 with rescue branches for every run that collapses, or prints it from finished sweeps. */
export async function paperCausal(
  { item, format, ...launch }: Causal,
  { from, studio, screen }: Into,
): Promise<Outcome> {
  if (item.id !== "table4") {
    throw badInput([
      { path: "--causal", message: `applies only to table4, not to ${item.id}: only table4 compares rescues of runs` },
    ]);
  }
  if (from) {
    return printAnswer(studio.database, { id: "rescue", sweeps: from, format, words: {} });
  }
  const revise = (yaml: string): string => `${yaml.trimEnd()}\nrescue: { on: collapsed }\n`;
  const launched = await launchPaper({ item, format, revise, ...launch }, studio, screen);
  return { ...launched, text: `${launched.text.trimEnd()} --causal` };
}
