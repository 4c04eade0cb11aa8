import { type Command, Option } from "@commander-js/extra-typings";
import { scales } from "#server/domain/plan/papers/paper.ts";
import type { Performer } from "../performer.ts";

const formats = ["latex", "markdown", "csv", "json"] as const;

export function addPaper(program: Command, performer: Performer): void {
  const paper = program
    .command("paper")
    .description("a table or figure of the papers: launch its sweeps, or make it from sweeps that there are");
  paper
    .command("list")
    .description("list the tables and figures, with what each scale can make")
    .action(() =>
      performer.perform(async (screen) => {
        const { listPapers } = await import("./papers/listPapers.ts");
        return listPapers(screen);
      }),
    );
  paper
    .argument("<TABLE|FIGURE>", "as `paper list` names it")
    .addOption(
      new Option("--scale <SCALE>", "embedded: small policies here; llm: the paper's own trainer")
        .choices(scales)
        .default("embedded" as const),
    )
    .option("--from <SWEEP...>", "make it from these sweeps, launch nothing")
    .addOption(
      new Option("--search", "before the comparison: a sweep of its methods' settings for each environment").conflicts([
        "from",
        "watch",
        "searched",
      ]),
    )
    .addOption(
      new Option("--searched <SWEEP...>", "launch it with the settings that these searches chose").conflicts("from"),
    )
    .option("--watch", "wait for its sweeps, one after another, and print it as each ends")
    .addOption(
      new Option("--format <FORMAT>", "how it is written; a figure is its curves as CSV")
        .choices(formats)
        .default("markdown" as const),
    )
    .action((id, { from, search, searched, ...choice }) =>
      performer.performInStudio(async (studio, screen) => {
        const { findPaperItem, findRecipe } = await import("#server/domain/plan/papers/papers.ts");
        const item = findPaperItem(id);
        const recipe = findRecipe(item, choice.scale);
        if (from) {
          const { printResult } = await import("./papers/printResult.ts");
          return await printResult(studio, { id: item.id, recipe }, { sweeps: from, format: choice.format });
        }
        const { searchPaper, makeSearched } = await import("./papers/searchPaper.ts");
        if (search) return await searchPaper({ item, recipe, scale: choice.scale }, studio);
        const { launchPaper } = await import("./papers/launchPaper.ts");
        const revise = searched && { revise: await makeSearched(studio.database, searched) };
        return await launchPaper({ item, recipe, ...choice, ...revise }, studio, screen);
      }),
    );
}
