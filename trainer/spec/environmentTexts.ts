/** Title and summary of each environment. This file imports no schemas, which would be large in a browser. */
export const environmentTexts = {
  sokoban: {
    title: "Sokoban",
    summary: "Push boxes onto targets in generated rooms; a wrong push can make a room unsolvable.",
  },
  alfworld: {
    title: "ALFWorld",
    summary:
      "Find, clean, heat, cool and place objects in generated households; objects in closed receptacles must be searched for.",
  },
  webshop: {
    title: "WebShop",
    summary:
      "Find, configure and buy the product that an instruction describes, in a shop with a search page and product options.",
  },
  sweGym: {
    title: "SWE-Gym",
    summary: "Repair a bug in a small Python repository, given an issue, an editor and tests that are executed.",
  },
  textworld: {
    title: "TextWorld",
    summary: "Solve quests of many kinds and lengths in text adventures with rooms, doors, keys and containers.",
  },
  tirMath: {
    title: "TIR-Math",
    summary:
      "Solve math problems over several turns with a Python interpreter, and give the final answer in \\boxed{}.",
  },
} as const;

/** Titles of a mixture (several environments at once) and a curriculum (one after another). */
const titlesOfSeveral = { mixture: "Mixture", curriculum: "Curriculum" };

/** Returns the key by which runs are grouped: an id, a custom task's title, or an imported run's own name. */
export function nameOfEnvironment({ id, title }: { readonly id: string; readonly title?: string }): string {
  return title ?? id;
}

/** Returns the title of an environment, given the name by which runs are grouped; an unknown name is its own title. */
export function titleOfEnvironment(name: string): string {
  const several = Object.entries(titlesOfSeveral).find(([known]) => known === name)?.[1];
  return several ?? Object.entries(environmentTexts).find(([known]) => known === name)?.[1].title ?? name;
}
