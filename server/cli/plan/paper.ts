import { type Command, Option } from "@commander-js/extra-typings";
import { type Scale, scales } from "#server/domain/plan/papers/paper.ts";
import type { Studio } from "../client/connect.ts";
import type { Outcome, Screen } from "../outcome.ts";
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
    .addOption(
      new Option(
        "--causal",
        "of table4: rescue experiments of its collapsed runs, each change against branches without a change",
      ).conflicts(["search", "searched", "watch"]),
    )
    .option("--watch", "wait for its sweeps, one after another, and print it as each ends")
    .addOption(
      new Option("--format <FORMAT>", "how it is written; a figure is its curves as CSV")
        .choices(formats)
        .default("markdown" as const),
    )
    .action((id, choice) =>
      performer.performInStudio((studio, screen) => makePaper({ id, ...choice }, studio, screen)),
    );
}

type Choice = {
  id: string;
  scale: Scale;
  format: (typeof formats)[number];
  from?: readonly string[] | undefined;
  searched?: readonly string[] | undefined;
  search?: true | undefined;
  causal?: true | undefined;
  watch?: true | undefined;
};

async function makePaper(
  { id, from, search, searched, causal, ...choice }: Choice,
  studio: Studio,
  screen: Screen,
): Promise<Outcome> {
  const { findPaperItem, findRecipe } = await import("#server/domain/plan/papers/papers.ts");
  const item = findPaperItem(id);
  const recipe = findRecipe(item, choice.scale);
  if (causal) {
    const { paperCausal } = await import("./papers/causal.ts");
    return await paperCausal({ item, recipe, ...choice }, { from, studio, screen });
  }
  if (from) {
    const { printResult } = await import("./papers/printResult.ts");
    return await printResult(studio, { id: item.id, recipe }, { sweeps: from, format: choice.format });
  }
  const { searchPaper, makeSearched } = await import("./papers/searchPaper.ts");
  if (search) return await searchPaper({ item, recipe, scale: choice.scale }, studio);
  const { launchPaper } = await import("./papers/launchPaper.ts");
  const revise = searched && { revise: await makeSearched(studio.database, searched) };
  return await launchPaper({ item, recipe, ...choice, ...revise }, studio, screen);
}
