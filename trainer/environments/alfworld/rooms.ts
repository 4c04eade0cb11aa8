import type { TaskType } from "./world.ts";

/** Presence of a kind of receptacle: in how many of 30 rooms it occurs, and its maximum per room (from ALFWorld). */
type Presence = readonly [kind: string, roomsOf30: number, most: number];

export type Room = {
  readonly name: string;
  readonly tasks: readonly TaskType[];
  /** Kinds of receptacles that every layout of this room type has, because a task may be impossible without them. */
  readonly required: readonly string[];
  readonly receptacles: readonly Presence[];
  readonly objects: readonly (readonly [kind: string, roomsOf30: number])[];
};

export const rooms: readonly Room[] = [
  {
    name: "kitchen",
    tasks: ["pick", "clean", "heat", "cool", "pick2"],
    required: ["sinkbasin", "fridge", "microwave", "countertop"],
    receptacles: [
      ["cabinet", 30, 11],
      ["drawer", 28, 5],
      ["stoveburner", 30, 4],
      ["countertop", 30, 3],
      ["diningtable", 16, 1],
      ["garbagecan", 30, 1],
      ["coffeemachine", 30, 1],
      ["toaster", 30, 1],
      ["shelf", 5, 3],
      ["sidetable", 3, 1],
      ["safe", 1, 1],
    ],
    objects: listOf(
      30,
      "apple bread lettuce potato tomato egg fork spoon knife spatula pan pot plate bowl mug cup dishsponge soapbottle peppershaker saltshaker",
      [29, "butterknife"],
      [15, "kettle"],
      [10, "ladle winebottle"],
      [7, "glassbottle"],
      [4, "vase statue cellphone"],
    ),
  },
  {
    name: "livingroom",
    tasks: ["pick", "look", "pick2"],
    required: ["sofa", "coffeetable"],
    receptacles: [
      ["garbagecan", 30, 1],
      ["armchair", 27, 2],
      ["sidetable", 24, 2],
      ["drawer", 23, 4],
      ["diningtable", 14, 1],
      ["shelf", 12, 4],
      ["tvstand", 12, 1],
      ["dresser", 10, 1],
      ["ottoman", 4, 1],
      ["cabinet", 4, 4],
      ["safe", 2, 1],
    ],
    objects: listOf(
      30,
      "keychain remotecontrol creditcard box laptop pillow",
      [29, "statue"],
      [18, "vase newspaper"],
      [16, "watch"],
      [13, "wateringcan"],
      [10, "plate tissuebox"],
      [9, "book"],
      [7, "cellphone"],
    ),
  },
  {
    name: "bedroom",
    tasks: ["pick", "look", "pick2"],
    required: ["bed", "desk"],
    receptacles: [
      ["garbagecan", 30, 1],
      ["drawer", 29, 5],
      ["shelf", 20, 4],
      ["sidetable", 19, 2],
      ["dresser", 15, 1],
      ["laundryhamper", 8, 1],
      ["armchair", 6, 1],
      ["diningtable", 5, 1],
      ["safe", 5, 1],
      ["cabinet", 5, 4],
    ],
    objects: listOf(
      30,
      "keychain book pencil pen creditcard cd alarmclock cellphone laptop pillow",
      [16, "mug"],
      [13, "baseballbat bowl"],
      [12, "box"],
      [11, "basketball"],
      [10, "tennisracket"],
      [5, "cloth"],
      [4, "tissuebox statue"],
    ),
  },
  {
    name: "bathroom",
    tasks: ["pick", "clean", "pick2"],
    required: ["sinkbasin", "countertop"],
    receptacles: [
      ["toilet", 30, 1],
      ["toiletpaperhanger", 30, 1],
      ["towelholder", 30, 1],
      ["handtowelholder", 30, 2],
      ["garbagecan", 30, 1],
      ["bathtubbasin", 20, 1],
      ["cabinet", 15, 4],
      ["drawer", 15, 2],
      ["shelf", 8, 2],
    ],
    objects: listOf(
      30,
      "soapbar handtowel cloth towel toiletpaper candle soapbottle spraybottle plunger",
      [9, "tissuebox"],
      [6, "dishsponge"],
    ),
  },
];

/** Kinds of receptacles for lamps, floor lamps included: the engine has no objects outside receptacles. */
export const lampPlaces: ReadonlySet<string> = new Set(["desk", "sidetable", "dresser", "coffeetable"]);

function listOf(most: number, first: string, ...rest: (readonly [number, string])[]): [string, number][] {
  return [[most, first] as const, ...rest].flatMap(([count, kinds]) =>
    kinds.split(" ").map((kind): [string, number] => [kind, count]),
  );
}
