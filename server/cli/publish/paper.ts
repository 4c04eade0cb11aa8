import { type Command, Option } from "@commander-js/extra-typings";
import { type Scale, scales } from "#server/domain/publish/papers/paper.ts";
import { type TableFormat, tableFormats } from "#packages/tables";
import type { Outcome, Performer, Screen, Studio } from "../command.ts";

export function addPaper(program: Command, performer: Performer): void {
  const paper = program
    .command("paper")
    .description(
      "reproduce a table or figure of the papers: launch its sweeps, use existing sweeps, or print definitions",
    );
  paper
    .command("list")
    .description("list the tables and figures, with the scales at which each can be reproduced")
    .action(() =>
      performer.perform(async (screen) => {
        const { listPapers } = await import("./papers/listPapers.ts");
        return listPapers(screen);
      }),
    );
  paper
    .argument("<TABLE|FIGURE>", "its name in `paper list`")
    .addOption(
      new Option("--scale <SCALE>", "embedded: small built-in policies; llm: language models with the paper's trainer")
        .choices(scales)
        .default("embedded" as const),
    )
    .option("--from <SWEEP...>", "use these sweeps, and launch nothing")
    .addOption(
      new Option("--search", "first launch a search of its methods' settings for each environment").conflicts([
        "from",
        "watch",
        "searched",
      ]),
    )
    .addOption(
      new Option("--searched <SWEEP...>", "launch it with the settings chosen by these searches").conflicts("from"),
    )
    .addOption(
      new Option("--causal", "for table4: compare each change by rescue experiments of the collapsed runs").conflicts([
        "search",
        "searched",
        "watch",
      ]),
    )
    .option("--watch", "wait for its sweeps, and print the result after each")
    .addOption(
      new Option("--format <FORMAT>", "output format; a figure is printed as CSV of its curves")
        .choices(tableFormats)
        .default("markdown" as const),
    )
    .action(async (id, choice) => {
      const { isDefinition } = await import("#server/domain/publish/papers/papers.ts");
      return isDefinition(id, choice.scale)
        ? performer.perform(async () => {
            const { printDefinition } = await import("./papers/printDefinition.ts");
            return printDefinition({ id, ...choice });
          })
        : performer.performInStudio((studio, screen) => makePaper({ id, ...choice }, studio, screen));
    });
}

type Choice = {
  id: string;
  scale: Scale;
  format: TableFormat;
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
  const { findPaperItem, findRecipe } = await import("#server/domain/publish/papers/papers.ts");
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
