import { splitOf } from "#trainer/spec/environment.ts";
import { textWorldFamilies, type TextWorldFamily, type TextWorldSpec } from "#trainer/spec/environments/textworld.ts";
import { split, type Rng } from "#trainer/spec/rng.ts";
import { generateCoin } from "./coin.ts";
import { generateCooking } from "./cooking.ts";
import { generateCustom } from "./custom.ts";
import { generateHouse } from "./house.ts";
import { pick } from "../../chance.ts";
import type { Generated } from "./quest.ts";
import { generateTreasure } from "./treasure.ts";
import { NoTask } from "../../environment.ts";

export type Task = Generated & { readonly family: TextWorldFamily };

/**
 * Generates the TextWorld game of a seed. The split depends on the game as well as on the seed: one in eight of the
 * games possible in training is held out for validation. Unseen games have quests about a subject that no training
 * quest has: a food, or a thing in a certain location.
 * An attempt fails if its quest cannot be built; the next attempt uses another random stream. If many attempts fail,
 * the quest becomes shorter, since some settings allow no quest of the full length.
 */
export function generateTask(spec: TextWorldSpec, seed: number): Task {
  const wanted = splitOf(seed);
  const family = spec.family === "mixed" ? pick(textWorldFamilies, split(seed, "textworld", "family")) : spec.family;
  let isMade = false;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const rng = split(seed, "textworld", family, attempt);
    const questLength = Math.max(1, spec.questLength - Math.floor(attempt / patience));
    const made = make({ ...spec, family }, { questLength, isUnseen: wanted === "unseen", rng });
    if (made === undefined) continue;
    isMade = true;
    if (fits(made, wanted)) return { ...made, family };
  }
  // A game of a different split is never used instead, since it could then occur in both training and evaluation.
  const problem = isMade ? `is left for the ${wanted} tasks` : `has a quest of at most ${spec.questLength} steps`;
  throw new NoTask(`no ${family} game of this size ${problem}, in ${maxAttempts} attempts`);
}

const patience = 60;
const maxAttempts = 1200;

type Drawn = { readonly questLength: number; readonly isUnseen: boolean; readonly rng: Rng };

function make(spec: TextWorldSpec & { family: TextWorldFamily }, drawn: Drawn): Generated | undefined {
  const { questLength, isUnseen, rng } = drawn;
  switch (spec.family) {
    case "custom":
      return generateCustom(spec, questLength, rng);
    case "coin":
      return generateCoin(spec, questLength, rng);
    case "treasure":
      return generateTreasure(spec, questLength, rng);
    case "simple":
      return generateHouse(spec, isUnseen, rng);
    case "cooking":
      return generateCooking(spec, isUnseen, rng);
  }
}

function fits({ game, walkthrough, structure }: Generated, wanted: ReturnType<typeof splitOf>): boolean {
  const isNew = structure.some(isHeldOut);
  if (wanted === "unseen" || isNew) return wanted === "unseen" && isNew;
  const { entities, exits, start } = game;
  const content = JSON.stringify([entities.map(({ name }) => name), exits, start, walkthrough, game.recipe]);
  return (split("held out", content).int(8) === 0) === (wanted === "seen");
}

/** True for the one fifth of quest subjects (foods, or things in a certain location) that never occur in training. */
function isHeldOut(about: string): boolean {
  return about.startsWith("held out ") || split("held out", about).int(5) === 0;
}
