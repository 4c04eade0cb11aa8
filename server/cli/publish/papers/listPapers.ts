import { isMissing, type PaperItem, type Scale, scales } from "#server/domain/publish/papers/paper.ts";
import { listContents, tellContent } from "#server/domain/publish/papers/contents.ts";
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
  const contents = listContents();
  const states = contents.map((one) => [paperTitles[one.paper], one.name, tellContent(one)]);
  const text = `${toColumns(columns, rows, screen)}\n\n${toColumns(["PAPER", "TABLE OR FIGURE", "STATE"], states, screen)}`;
  return { text, json: { papers: paperItems, contents }, exitCode: 0 };
}

function sayScale(item: PaperItem, scale: Scale): string {
  const recipe = item.scales[scale];
  return isMissing(recipe) ? `no: ${recipe.missing}` : recipe.presets.join(", ") || "no runs needed";
}
