import { describe, expect, it } from "vitest";
import { act } from "./act.ts";
import { makeGoal } from "./goal.ts";
import { takeNotes } from "./notes.ts";
import { fromWords, toWords } from "./words.ts";
import { beginState, makeWorld, type State } from "./world.ts";

/** World with a knife, an apple and two mugs. Drawer and shelf share one location. */
const world = makeWorld({
  receptacles: ["countertop", "sinkbasin", "microwave", "fridge", "drawer", "shelf"].map((kind, i) => ({
    kind,
    number: 1,
    location: Math.min(i, 4),
  })),
  objects: [
    { kind: "knife", number: 1, on: 0 },
    { kind: "apple", number: 1, on: 0 },
    { kind: "mug", number: 1, on: 0 },
    { kind: "mug", number: 2, on: 3 },
  ],
  goal: makeGoal({ type: "heat", object: "apple", target: "shelf" }, 0),
});

function play(commands: readonly string[]): { state: State; last: string } {
  return commands.reduce(
    ({ state }, command) => {
      const next = act(state, command);
      return { state: next.state, last: next.observation };
    },
    { state: beginState(world), last: "" },
  );
}

describe("the engine's texts", () => {
  it.each([
    [["look"], "facing nothing", "You are in the middle of a room. Looking quickly around you, you see nothing."],
    [
      ["go to countertop 1"],
      "at countertop 1 on apple 1 knife 1 mug 1",
      "You arrive at countertop 1. On the countertop 1, you see a apple 1, a knife 1, and a mug 1.",
    ],
    [["go to fridge 1"], "at fridge 1 closed", "You arrive at fridge 1. The fridge 1 is closed."],
    [
      ["go to fridge 1", "open fridge 1"],
      "opened fridge 1 mug 2",
      "You open the fridge 1. The fridge 1 is open. In it, you see a mug 2.",
    ],
    [
      ["go to microwave 1", "open microwave 1", "go to shelf 1", "go to microwave 1"],
      "at microwave 1 open nothing",
      "You arrive at microwave 1. The microwave 1 is open. In it, you see nothing.",
    ],
    [
      ["go to shelf 1", "look"],
      "facing drawer 1 shelf 1",
      "You are facing the drawer 1, and shelf 1. Next to it, you see nothing.",
    ],
    [["go to shelf 1", "go to drawer 1"], "nothing happens", "Nothing happens."],
    [["inventory"], "carrying nothing", "You are not carrying anything."],
  ])("%j is read as %s", (commands, words, text) => {
    const { last } = play(commands);
    expect(last).toBe(text);
    expect(toWords(last)).toBe(words);
    expect(fromWords(words)).toBe(text);
  });

  it("says what is true of what is held", () => {
    const withApple = ["go to countertop 1", "take apple 1 from countertop 1"];
    const examined = (...more: string[]): string => play([...withApple, ...more, "examine apple 1"]).last;
    const [heat, cool] = [
      ["go to microwave 1", "heat apple 1 with microwave 1"],
      ["go to fridge 1", "cool apple 1 with fridge 1"],
    ];
    const clean = ["go to sinkbasin 1", "clean apple 1 with sinkbasin 1"];
    expect(examined()).toBe("There's nothing special about apple 1.");
    expect(examined(...heat)).toBe("This is a hot apple 1.");
    expect(examined(...heat, ...cool)).toBe("This is a cold apple 1.");
    expect(examined(...cool, ...clean)).toBe("This is a cool and clean apple 1.");
    for (const text of [examined(), examined(...heat), examined(...cool, ...clean)])
      expect(fromWords(toWords(text))).toBe(text);
  });

  it("lets a knife slice what the player put down at this place, and nothing else", () => {
    const toShelf = ["go to countertop 1", "take apple 1 from countertop 1", "move apple 1 to countertop 1"];
    const slice = ["take knife 1 from countertop 1", "slice apple 1 with knife 1"];
    expect(play([...toShelf, ...slice]).last).toBe("You sliced the apple 1 with the knife 1.");
    expect(play(["go to countertop 1", ...slice]).last).toBe("Nothing happens.");
  });
});

describe("notes", () => {
  it("know what was seen and nothing that was not", () => {
    const start = "at middle have nothing , unseen";
    expect(takeNotes(beginState(world))).toBe(
      `${start} countertop 1 drawer 1 fridge 1 microwave 1 shelf 1 sinkbasin 1`,
    );
    expect(takeNotes(play(["go to fridge 1"]).state)).toContain(
      "at fridge 1 have nothing , unseen countertop 1 drawer 1",
    );
    expect(takeNotes(play(["go to countertop 1"]).state)).toContain("have nothing , apple 1 on countertop 1 , unseen");
    const heated = [
      "go to countertop 1",
      "take apple 1 from countertop 1",
      "go to microwave 1",
      "heat apple 1 with microwave 1",
    ];
    expect(takeNotes(play(heated).state)).toContain("at microwave 1 have hot apple 1 , unseen");
  });
});
