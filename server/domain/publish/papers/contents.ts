import { isMissing, paperIds, type PaperId, type PaperItem, scales } from "./paper.ts";
import { paperItems } from "./papers.ts";

const number = (kind: string, first: string, length: number): string[] =>
  Array.from({ length }, (_, i) => `${kind} ${first}${i + 1}`);

/** The papers' tables and figures with results or settings; figures that only explain an idea are not listed. */
export const contents: Readonly<Record<PaperId, readonly string[]>> = {
  "2602.21534": [
    ...number("Table", "", 5),
    ...number("Table", "S", 3),
    "Figure 2",
    "Figure 3",
    "Figure 4",
    ...number("Figure", "S", 7),
  ],
  "2510.01132": [...number("Table", "", 13), "Figure 2", "Figure 6", "Figure 7"],
};

/** Returns the table or figure that an item reproduces, by its title; undefined for a statement in the paper's text. */
export function numberOf({ title }: PaperItem): string | undefined {
  return /^(Table|Figure) S?\d+/.exec(title)?.[0];
}

export type Content = { paper: PaperId; name: string } & (
  | { state: "recorded"; item: string }
  | { state: "recipe"; item: string; reason: string }
  | { state: "left out"; reason: string }
);

/** States for each table and figure if its runs are recorded, if there is a recipe, or why it is left out. */
export function listContents(): Content[] {
  return paperIds.flatMap((paper) => contents[paper].map((name) => stateOf(paper, name)));
}

function stateOf(paper: PaperId, name: string): Content {
  const items = paperItems.filter((item) => item.paper === paper && numberOf(item) === name);
  const recipesOf = (item: (typeof items)[number]) =>
    scales.flatMap((scale) => {
      const recipe = item.scales[scale];
      return isMissing(recipe) ? [] : [recipe];
    });
  const recorded = items.find((item) =>
    recipesOf(item).some((recipe) => recipe.recorded || recipe.result.kind === "definition"),
  );
  if (recorded) return { paper, name, state: "recorded", item: recorded.id };
  const made = items.find((item) => recipesOf(item).length > 0);
  if (made) {
    const reason = recipesOf(made).find(({ unrecorded }) => unrecorded)?.unrecorded ?? "";
    return { paper, name, state: "recipe", item: made.id, reason };
  }
  const missing = items.map(({ scales: of }) => of.embedded).find(isMissing);
  return { paper, name, state: "left out", reason: missing?.missing ?? "" };
}

/** Writes the state in a few words: "recorded (table3)", "left out: its trainer has no template". */
export function tellContent(content: Content): string {
  if (content.state === "left out") return `left out: ${content.reason}`;
  const state = `${content.state} (${content.item})`;
  return content.state === "recipe" ? `${state}; not recorded: ${content.reason}` : state;
}
