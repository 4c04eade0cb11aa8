import { isMissing, paperIds, scales, type Missing, type PaperItem, type Recipe, type Scale } from "../paper.ts";
import { listContents, tellContent } from "../contents.ts";
import { paperItems, paperTitles } from "../papers.ts";

const scaleWords: Readonly<Record<Scale, string>> = {
  embedded: "Embedded (built-in trainer)",
  llm: "LLM (the paper's trainer)",
};

/**
 * Returns the text of docs/papers.md: the papers' results that can be reproduced here, at which scale, with
 * differences.
 */
export function writePapersDocument(): string {
  return `${[
    "# The papers' tables and figures",
    "",
    "What `npx arlarena paper` makes of both papers, at which scale, and what differs from them. Each table and figure is _recorded_ (its runs are in a study, or it needs none), has a _recipe_ (presets), or is _left out_. A test writes this page from the recipes themselves.",
    "",
    "    npx arlarena paper list",
    "    npx arlarena paper table1 --format latex       # of methods' definitions, or of settings (tableS1): no sweeps",
    "    npx arlarena paper table3 --watch              # launches its sweeps, prints the table as each ends",
    "    npx arlarena paper table3 --from SWEEP SWEEP … # of sweeps that there are; --format latex",
    "    npx arlarena paper table3 --search             # settings of its methods, one sweep an environment; then:",
    "    npx arlarena paper table3 --searched SWEEP …   # the comparison with what they chose, recorded in its plan",
    "",
    "Not reproduced: the multi-agent debates of ARLArena's Appendix E, which prompt closed models and train nothing (Table S3 quotes their numbers), and the rewards by judging models in the Guide's Table 12.",
    "",
    "No run is recorded at the LLM scale: its presets train models of 4 and 8 B parameters, which need GPUs, and all studies were made on two cores without one. A recipe at the embedded scale that is not recorded states what its runs take.",
    ...paperIds.flatMap((paper) => [
      "",
      `## ${paperTitles[paper]} (arXiv ${paper})`,
      "",
      ...listContents().flatMap((one) => (one.paper === paper ? [`- ${one.name}: ${tellContent(one)}`] : [])),
      ...paperItems.filter((item) => item.paper === paper).flatMap(writeItem),
    ]),
  ].join("\n")}\n`;
}

function writeItem({ id, title, scales: recipes }: PaperItem): string[] {
  return [
    "",
    `### ${title}`,
    "",
    `\`npx arlarena paper ${id}\``,
    "",
    ...scales.flatMap((scale) => writeScale(scale, recipes[scale])),
  ];
}

function writeScale(scale: Scale, recipe: Recipe | Missing): string[] {
  const head = `- **${scaleWords[scale]}**`;
  if (isMissing(recipe)) return [`${head}: not here; ${recipe.missing}.`];
  const presets = recipe.presets.map((preset) => `[${preset}](../public/presets/${preset}.yaml)`).join(", ");
  const studies = (recipe.recorded ?? []).map((name) => `[${name}](../studies/${name}.arlarena)`).join(", ");
  return [
    `${head}: ${presets || "no runs needed"}`,
    ...recipe.differs.map((sentence) => `  - ${sentence}`),
    ...(studies === "" ? [] : [`  - Recorded: ${studies}`]),
  ];
}
