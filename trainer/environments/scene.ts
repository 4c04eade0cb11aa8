export type Square = { isWall: boolean; isTarget: boolean; holds?: "box" | "player" };

/** A receptacle of ALFWorld for drawing. */
export type HouseholdReceptacle = {
  name: string;
  isHere: boolean;
  /** True if the receptacle is open; undefined if it cannot be opened. */
  isOpen?: boolean | undefined;
  /** True if the policy saw the receptacle's contents. Until then, `objects` are those that the player put there. */
  isSeen: boolean;
  objects: readonly string[];
};

export type Side = "north" | "south" | "east" | "west";
export type Lock = "open" | "closed" | "locked";

/** Container or supporter of TextWorld for drawing. `condition` is undefined if it cannot be opened. */
export type Furniture = { name: string; condition?: Lock | undefined; things: readonly string[] };

/** An exit of a TextWorld room. Without a door it is always passable. A locked door looks closed. */
export type RoomExit = { direction: Side; door?: { name: string; condition: "open" | "closed" } };

/** Contents of a WebShop page for drawing, including the query and the chosen options, which the page's text lacks. */
export type ShopPage =
  | { kind: "search" }
  | { kind: "results"; pageNumber: number; numResults: number; buttons: readonly string[]; articles: readonly Listed[] }
  | {
      kind: "item";
      title: string;
      price: string;
      options: readonly { name: string; values: readonly string[]; chosen?: string | undefined }[];
      buttons: readonly string[];
    }
  | { kind: "detail"; name: string; texts: readonly string[]; buttons: readonly string[] }
  | { kind: "receipt"; asin: string; options: readonly (readonly [name: string, value: string])[]; score: number };
type Listed = { id: string; title: string; price: string };

/** State of an environment for drawing, without parts that the policy was not shown. */
export type Scene =
  | { environment: "sokoban"; rows: readonly (readonly Square[])[] }
  | {
      environment: "alfworld";
      receptacles: readonly HouseholdReceptacle[];
      carried?: string | undefined;
      /** States (clean, hot, cool, sliced, on) of the objects, by object name; objects without a state are left out. */
      states: Readonly<Record<string, readonly string[]>>;
    }
  | {
      environment: "textworld";
      name: string;
      furniture: readonly Furniture[];
      exits: readonly RoomExit[];
      floor: readonly string[];
      carried: readonly string[];
    }
  | {
      environment: "webshop";
      page: ShopPage;
      /** Query of the last search; undefined before the first search. */
      query?: string | undefined;
    };

export type SceneOf<Id extends Scene["environment"]> = Extract<Scene, { environment: Id }>;
