import type { TextWorldSpec } from "#trainer/spec/environments/textworld.ts";
import type { Rng } from "#trainer/spec/rng.ts";
import { type Condition, type Event, type Fact, type Game, inventoryOf, type Quest } from "../game.ts";
import { type Blueprint, buildGame, opposite, type Thing } from "./blueprint.ts";
import { pick, shuffle } from "../../chance.ts";
import type { Draft } from "./draft.ts";
import { articulationRooms, type Layout, walkLayout } from "./layout.ts";
import { describeSteps } from "./objective.ts";
import { makeWriter } from "./prose.ts";
import { densityOf, type Generated, rehearse, withQuests } from "./quest.ts";

const conditions: Readonly<Record<TextWorldSpec["doors"], readonly Condition[]>> = {
  none: [],
  closed: ["open", "closed"],
  locked: ["open", "closed", "locked"],
};

/** Makes a random map without things. Rooms whose removal would disconnect the map get doors between each other. */
export function makeGrid(
  { rooms, doors }: Pick<TextWorldSpec, "rooms" | "doors">,
  rng: Rng,
  isOpen = false,
): { layout: Layout; draft: Draft } {
  const layout = walkLayout(rooms, rng);
  const joints = new Set(doors === "none" ? [] : articulationRooms(layout));
  const exits = Array.from({ length: rooms }, (): Draft["exits"][number][number][] => []);
  const built: { condition: Condition }[] = [];
  for (const { from, direction, to } of layout.passages) {
    const hasDoor = joints.has(from) && joints.has(to);
    const door = hasDoor ? { door: built.length } : {};
    if (hasDoor) built.push({ condition: isOpen ? "open" : pick(conditions[doors], rng) });
    exits[from]?.push({ direction, room: to, ...door });
    exits[to]?.push({ direction: opposite[direction], room: from, ...door });
  }
  return { layout, draft: { exits, doors: built, things: [], player: 0 } };
}

const foods = ["apple", "milk", "half of a bag of chips", "bell pepper", "lettuce", "tomato plant"] as const;
/** Foods that TextWorld holds out for its test games. In training games they may occur, but no quest needs them. */
const heldOutFoods = ["garlic", "kiwi", "carrot"] as const;

const rooms = ["bedroom", "kitchen", "living room", "bathroom", "backyard", "garden"] as const;
const [bedroom, kitchen, livingRoom, bathroom, backyard, garden] = ["r_0", "r_1", "r_2", "r_3", "r_4", "r_5"] as const;

const links = [
  { from: bedroom, direction: "east", to: kitchen, door: "d_0" },
  { from: kitchen, direction: "north", to: bathroom },
  { from: kitchen, direction: "south", to: livingRoom },
  { from: kitchen, direction: "east", to: backyard, door: "d_1" },
  { from: backyard, direction: "south", to: garden },
] as const;

const furniture: readonly Thing[] = [
  { id: "c_0", kind: "container", name: "chest drawer", holder: bedroom, condition: "closed" },
  { id: "c_1", kind: "container", name: "antique trunk", holder: bedroom, condition: "closed" },
  { id: "s_0", kind: "supporter", name: "king-size bed", holder: bedroom },
  { id: "c_2", kind: "container", name: "refrigerator", holder: kitchen, condition: "closed" },
  { id: "s_1", kind: "supporter", name: "counter", holder: kitchen },
  { id: "s_2", kind: "supporter", name: "stove", holder: kitchen },
  { id: "s_3", kind: "supporter", name: "kitchen island", holder: kitchen },
  { id: "c_3", kind: "container", name: "toilet", holder: bathroom, condition: "closed" },
  { id: "c_4", kind: "container", name: "bath", holder: bathroom, condition: "closed" },
  { id: "s_4", kind: "supporter", name: "sink", holder: bathroom },
  { id: "s_5", kind: "supporter", name: "couch", holder: livingRoom },
  { id: "s_6", kind: "supporter", name: "low table", holder: livingRoom },
  { id: "s_7", kind: "supporter", name: "tv", holder: livingRoom },
  { id: "s_8", kind: "supporter", name: "bbq", holder: backyard },
  { id: "s_9", kind: "supporter", name: "patio table", holder: backyard },
  { id: "s_10", kind: "supporter", name: "set of chairs", holder: backyard },
  { id: "o_0", kind: "object", name: "toothbrush", holder: "s_4" },
  { id: "o_1", kind: "object", name: "soap bar", holder: "c_4" },
  { id: "o_2", kind: "object", name: "remote", holder: "s_6" },
  { id: "o_3", kind: "object", name: "shovel", holder: garden },
];

/** Possible places of the food, sampled uniformly: two in six are the refrigerator, one the couch, three the garden. */
const holders = ["c_2", "c_2", "s_5", garden, garden, garden] as const;

/** Generates TextWorld's simple game: leave the locked bedroom, find the food, and put it on the kitchen's stove. */
export function generateHouse(spec: TextWorldSpec, isUnseen: boolean, rng: Rng): Generated {
  const wanted = rng.int(foods.length);
  const names = shuffle<string>(foods, rng);
  const other = (wanted + 1 + rng.int(foods.length - 1)) % foods.length;
  if (isUnseen) names[wanted] = pick(heldOutFoods, rng);
  else if (rng.next() < 0.5) names[other] = pick(heldOutFoods, rng);
  const keyHolder = pick(["c_0", "c_1"] as const, rng);
  const food = names[wanted] ?? "";
  const note = `Only a grilled ${food} is missing for dinner.`;
  const blueprint: Blueprint = {
    rooms: rooms.map((name, i) => ({ id: `r_${i}`, name })),
    links,
    doors: [
      { id: "d_0", name: "wooden door", condition: "locked", key: "k_0" },
      { id: "d_1", name: "screen door", condition: "closed" },
    ],
    things: [
      ...furniture,
      ...names.map((name, i): Thing => ({
        id: `f_${i}`,
        kind: "food",
        name,
        holder: holders[i] ?? garden,
        food: { isEdible: true },
      })),
      { id: "k_0", kind: "key", name: "old key", holder: keyHolder },
      { id: "o_4", kind: "object", name: "note", holder: "s_3", description: note },
    ],
    start: bedroom,
  };
  const game = buildGame(blueprint, makeWriter(spec.prose, rng));
  const holderName = keyHolder === "c_0" ? "chest drawer" : "antique trunk";
  const walkthrough = [
    `open ${holderName}`,
    `take old key from ${holderName}`,
    "unlock wooden door with old key",
    "open wooden door",
    "go east",
    ...fetch(holders[wanted] ?? garden, food),
    `put ${food} on stove`,
  ];
  const objective = {
    detailed: () => describeSteps(game, rehearse(game, walkthrough)?.steps ?? [], { prose: spec.prose, rng }),
    brief: () => `${note} Put it on the stove.`,
    none: () => "",
  }[spec.objective]();
  const quests = makeQuests(game, densityOf(spec), {
    food: `f_${wanted}`,
    holder: holders[wanted] ?? garden,
    keyHolder,
  });
  const structure = heldOutFoods.some((name) => name === food) ? [`held out ${food}`] : [];
  return { game: withQuests(game, quests, objective), walkthrough, structure };
}

function fetch(holder: (typeof holders)[number], food: string): readonly string[] {
  switch (holder) {
    case "c_2":
      return ["open refrigerator", `take ${food} from refrigerator`];
    case "s_5":
      return ["go south", `take ${food} from couch`, "go north"];
    case garden:
      return ["open screen door", "go east", "go south", `take ${food}`, "go north", "go west"];
  }
}

/** Makes the quests that give TextWorld's points at each reward density. Eating the food loses the game. */
function makeQuests(
  game: Game,
  density: "sparse" | "balanced" | "dense",
  { food, holder, keyHolder }: { food: string; holder: (typeof holders)[number]; keyHolder: string },
): readonly Quest[] {
  const at = (id: string): number => game.entities.findIndex((entity) => entity.id === id);
  const carried = (id: string): Fact => ({ is: "held", thing: at(id), holder: inventoryOf(game) });
  const isIn = (id: string): Fact => ({ is: "player at", room: at(id) });
  const isGarden = holder === garden;
  const escape: readonly Fact[] = [
    { is: "open", thing: at(keyHolder) },
    carried("k_0"),
    { is: "closed", thing: at("d_0") },
    { is: "open", thing: at("d_0") },
  ];
  const door: readonly Fact[] = isGarden ? [{ is: "open", thing: at("d_1") }] : [];
  const way = isGarden ? [isIn(backyard), isIn(garden)] : holder === "s_5" ? [isIn(livingRoom)] : [];
  const end: Fact = { is: "held", thing: at(food), holder: at("s_2") };
  const points: Readonly<Record<typeof density, readonly Fact[]>> = {
    sparse: [end],
    balanced: [isIn(kitchen), ...door, carried(food), end],
    dense: [...escape, isIn(kitchen), ...door, ...way, carried(food), end],
  };
  const eaten: Event = [{ is: "eaten", thing: at(food) }];
  return [
    ...points[density].map((fact): Quest => ({ reward: 1, wins: [[fact]], fails: [] })),
    { reward: 0, wins: [], fails: [eaten] },
  ];
}

/** Texts that contain all names in the house and its note, for a small policy's vocabulary. */
export const houseTexts: readonly string[] = [
  ...rooms,
  ...foods,
  ...heldOutFoods,
  ...furniture.map(({ name }) => name),
  "wooden door, screen door, old key, note",
  "Only a grilled apple is missing for dinner. Put it on the stove.",
];
/** Upper bounds on the sizes of the house: lengths of names and lists in words, and numbers of things in a room. */
export const houseSize = {
  nameWords: 6,
  roomWords: 2,
  furniture: 4,
  furnitureWords: 2,
  listWords: 46,
  exits: 4,
  stepWords: 12 * 9 + 8,
};
