import { isMissing, type PaperItem, type Scale, scales } from "#server/domain/plan/papers/paper.ts";
import { paperItems, paperTitles } from "#server/domain/plan/papers/papers.ts";
import type { Outcome, Screen } from "../../outcome.ts";
import { toColumns } from "../../views/columns.ts";

const columns = [
  { header: "NAME" },
  { header: "PAPER" },
  { header: "WHAT" },
  { header: "EMBEDDED" },
  { header: "LLM" },
] as const;

/** Prints every reproducible table and figure of the papers, with its preset sweeps at each scale. */
export function listPapers(screen: Screen): Outcome {
  const rows = paperItems.map((item) =>
    [item.id, paperTitles[item.paper], item.title, ...scales.map((scale) => sayScale(item, scale))].map((text) => ({
      text,
    })),
  );
  return { text: toColumns(columns, rows, screen), json: { papers: paperItems }, exitCode: 0 };
}

function sayScale(item: PaperItem, scale: Scale): string {
  const recipe = item.scales[scale];
  return isMissing(recipe) ? `no: ${recipe.missing}` : recipe.presets.join(", ");
}
