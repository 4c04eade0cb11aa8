import type { TextWorldSpec } from "#trainer/spec/environments/textworld.ts";
import type { Rng } from "#trainer/spec/rng.ts";
import { chainBackwards } from "./chain.ts";
import type { QuestVerb } from "./choices.ts";
import { assignNames } from "./assignNames.ts";
import { makeGrid } from "./grid.ts";
import { namesFor } from "./names.ts";
import { populate } from "./populate.ts";
import { finish, type Generated } from "./quest.ts";

const deeds: readonly QuestVerb[] = [
  "take",
  "take from",
  "drop",
  "put",
  "insert",
  "open",
  "close",
  "lock",
  "unlock",
  "eat",
];

/** TextWorld's standard games: a random map, a quest of any actions built backwards, and things without a role. */
export function generateCustom(spec: TextWorldSpec, questLength: number, rng: Rng): Generated | undefined {
  const { layout, draft } = makeGrid(spec, rng);
  const invents = ["container", "supporter", "object", "key", "food"] as const;
  const chain = chainBackwards(draft, { length: questLength, last: deeds, verbs: ["go", ...deeds], invents }, rng);
  const numThings = Math.max(spec.objects, chain?.start.things.length ?? 0);
  if (chain === undefined || numThings > maxThings(spec)) return undefined;
  const missing = numThings - chain.start.things.length + spec.distractors;
  const full = populate(chain.start, missing, rng);
  const names = namesFor(spec.names, {
    rooms: spec.rooms,
    things: maxThings(spec),
    distractors: spec.distractors,
  });
  const named = assignNames(full, chain.steps, { layout, names, rng });
  return named && finish(named, { spec, rng });
}

/** Maximum number of things: a quest may add more than the setting, within this limit. */
export function maxThings({ objects, questLength }: Pick<TextWorldSpec, "objects" | "questLength">): number {
  return Math.max(objects, Math.ceil(questLength / 2) + 1);
}
