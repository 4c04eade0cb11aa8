/** Names for a custom, coin or treasure game. Colours pair keys with locks and distinguish equal nouns. */
export type Names = {
  readonly rooms: readonly string[];
  readonly colors: readonly string[];
  readonly nouns: Readonly<Record<"door" | "container" | "supporter" | "object" | "key" | "food", readonly string[]>>;
};

const all: Names = {
  rooms: words(
    "kitchen, bedroom, pantry, study, attic, garage, lounge, cellar, bathroom, office, vault, parlor, closet, salon, sauna, canteen, playroom, workshop, laundromat, chamber, basement, bar, cookhouse, studio, washroom, kitchenette, scullery, shower, cubicle, restroom, bedchamber, launderette",
  ),
  colors: words("red, blue, green, yellow, black, white, brown, purple, orange, pink, gray, golden"),
  nouns: {
    door: words("door, gate, hatch, portal, gateway, passageway"),
    container: words(
      "chest, box, safe, crate, locker, drawer, cabinet, trunk, basket, suitcase, toolbox, coffer, fridge, freezer, dresser, bureau",
    ),
    supporter: words(
      "table, shelf, counter, bench, desk, stand, rack, bookshelf, couch, bed, chair, workbench, mantelpiece, recliner, plate, pan",
    ),
    key: words("key, keycard, latchkey, passkey"),
    object: words(
      "book, lamp, hat, cup, pen, shoe, towel, fork, mop, broom, sponge, shirt, sock, glove, scarf, knife, spoon, whisk, ladle, kettle, teapot, mug, laptop, tablet, pillow, blanket, novel, pencil, stapler, folder, keyboard, mouse",
    ),
    food: words(
      "apple, pear, carrot, onion, melon, grape, banana, kiwi, potato, cookie, cucumber, broccoli, cabbage, coconut, burger, sandwich",
    ),
  },
};

function words(list: string): readonly string[] {
  return list.split(", ");
}

/**
 * Returns the names from which a game of this size samples: as many as it can use, and a few more for variety.
 * Distractors can add many locks beyond the quest's things, and each key has its own colour.
 */
export function namesFor(
  size: "small" | "large",
  { rooms, things, distractors = 0 }: { rooms: number; things: number; distractors?: number },
): Names {
  if (size === "large") return all;
  const isCrowded = things + distractors > 16;
  const some = (list: readonly string[], count: number): readonly string[] => list.slice(0, count);
  const { nouns } = all;
  return {
    rooms: some(all.rooms, Math.max(6, rooms + 2)),
    colors: isCrowded ? all.colors : some(all.colors, things <= 8 ? 4 : 6),
    nouns: {
      door: some(nouns.door, 3),
      container: some(nouns.container, Math.min(8, things + 3)),
      supporter: some(nouns.supporter, Math.min(8, things + 3)),
      key: isCrowded ? nouns.key : some(nouns.key, 1),
      object: some(nouns.object, Math.min(16, things + 5)),
      food: some(nouns.food, Math.min(8, things + 3)),
    },
  };
}
