import { isMissing, type PaperItem, type Scale, scales } from "#server/domain/publish/papers/paper.ts";
import { paperItems, paperTitles } from "#server/domain/publish/papers/papers.ts";
import type { Outcome, Screen } from "../../command.ts";
import { toColumns } from "../../views/columns.ts";

export function listPapers(screen: Screen): Outcome {
  const columns = ["NAME", "PAPER", "WHAT", "EMBEDDED", "LLM"];
  const rows = paperItems.map((item) => [
    item.id,
    paperTitles[item.paper],
    item.title,
    ...scales.map((scale) => sayScale(item, scale)),
  ]);
  return { text: toColumns(columns, rows, screen), json: { papers: paperItems }, exitCode: 0 };
}

function sayScale(item: PaperItem, scale: Scale): string {
  const recipe = item.scales[scale];
  return isMissing(recipe) ? `no: ${recipe.missing}` : recipe.presets.join(", ");
}
