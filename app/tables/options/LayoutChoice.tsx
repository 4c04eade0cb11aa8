"use client";
import { isMissing, type PaperItem } from "#server/domain/papers/paper.ts";
import { paperItems } from "#server/domain/papers/papers.ts";
import { optionDefaults, wordingDefaults } from "#server/domain/tables/builder/options.ts";
import { Choice } from "#app/_ui/Choice.tsx";
import type { SectionProps } from "./section.ts";

const layouts = paperItems.flatMap((item) => {
  const table = tableOf(item);
  return table ? [{ item, ...table }] : [];
});

/** Column layout: by metric and environment, by hand, or as in a table of the papers, with its published numbers. */
export function LayoutChoice({ options, wording, choices, set, word }: SectionProps) {
  const { metrics: _, ...defaults } = optionDefaults;
  const reset = { ...defaults, without: [], withoutEnvironments: [], columns: [] };
  const pick = (id: string) => {
    const layout = layouts.find(({ item }) => item.id === id);
    if (layout) {
      set({ ...reset, ...layout.options });
      word({ ...wordingDefaults, references: [], ...layout.wording });
    } else if (id === "metrics") {
      set({ columns: [] });
      word({ references: [] });
    } else {
      const columns = (choices?.environments ?? []).flatMap((environment) =>
        options.metrics.map((metric) => ({ environment, metric })),
      );
      set({ columns });
    }
  };
  const chosen = layouts.find(({ item }) => item.id === wording.label)?.item.id;
  return (
    <Choice
      label="Layout"
      labelled="above"
      options={[
        { value: "metrics", label: "By environment and metric" },
        { value: "hand", label: "Columns by hand" },
        ...layouts.map(({ item }) => ({ value: item.id, label: item.title, group: "Papers" })),
      ]}
      value={options.columns.length === 0 ? "metrics" : (chosen ?? "hand")}
      onChange={pick}
    />
  );
}

function tableOf({ scales: { embedded, llm } }: PaperItem) {
  const recipe = isMissing(embedded) ? llm : embedded;
  if (isMissing(recipe) || recipe.result.kind !== "table" || !recipe.result.options.columns) return undefined;
  return { options: recipe.result.options, wording: recipe.result.wording };
}
