import { describe, expect, it } from "vitest";
import { taskSeeds } from "#trainer/spec/environment.ts";
import { SokobanSpec } from "#trainer/spec/environments/sokoban.ts";
import { split } from "#trainer/spec/rng.ts";
import { toTaskFamily } from "../episode.ts";
import { advise } from "./expert.ts";
import { generateRoom } from "./generator.ts";
import { isSolved, move, type Ground, type Position } from "./room.ts";
import { makeSokoban } from "./sokoban.ts";
import { solve } from "./solver.ts";
import { glyphs, toText } from "./text.ts";

const spec = SokobanSpec.parse({ id: "sokoban" });
const sokoban = makeSokoban(spec);

describe("the world", () => {
  const walk = ["######", "#P_X_#", "#___O#", "#_X__#", "######", "######"];

  it.each([
    ["up", walk, -0.1, "a wall blocks"],
    ["right", ["######", "#_PX_#", "#___O#", "#_X__#", "######", "######"], -0.1, "a step"],
  ])("moves %s", (action, after, reward) => {
    const turn = sokoban.step(stateOf(walk), action);
    expect(turn.observation.split("\n")).toEqual(after);
    expect(turn.reward).toBeCloseTo(reward, 9);
  });

  it.each([
    { title: "pushes a box", from: "#PX__#", action: "right", to: "#_PX_#", reward: -0.1 },
    { title: "cannot push two boxes", from: "#PXX_#", action: "right", to: "#PXX_#", reward: -0.1 },
    { title: "cannot push into a wall", from: "#__PX#", action: "right", to: "#__PX#", reward: -0.1 },
    { title: "cannot pull", from: "#_XP_#", action: "right", to: "#_X_P#", reward: -0.1 },
    { title: "pays for a box on a target", from: "#PXOX#", action: "right", to: "#_P√X#", reward: 0.9 },
    { title: "charges for a box off its target", from: "#P√_X#", action: "right", to: "#_SXX#", reward: -1.1 },
    { title: "pays ten more for the last box", from: "#PXO_#", action: "right", to: "#_P√_#", reward: 10.9 },
  ])("$title", ({ from, action, to, reward }) => {
    const isLastTarget = reward > 10;
    const rest = isLastTarget ? "#____#" : "#___O#";
    const rows = (row: string) => ["######", row, rest, "#____#", "#____#", "######"];
    const turn = sokoban.step(stateOf(rows(from)), action);
    expect(turn.observation.split("\n")).toEqual(rows(to));
    expect(turn.reward).toBeCloseTo(reward, 9);
    expect(turn.ending).toBe(isLastTarget ? "terminated" : "ongoing");
  });

  it("counts a turn but no step for what is no move", () => {
    for (const action of ["still", "", "fly"]) {
      const { state, reward, ending } = sokoban.step(stateOf(walk), action);
      expect(state).toEqual({ ...stateOf(walk), turns: 1 });
      expect([reward, ending]).toEqual([-0.1, "ongoing"]);
    }
  });

  it("ends by truncation at the last turn, whatever was done in it", () => {
    const turn = sokoban.step({ ...stateOf(walk), turns: spec.maxTurns - 1 }, "nonsense");
    expect(turn.ending).toBe("truncated");
  });

  it("admits the four moves: each changes the room or, blocked, leaves it as it is for the price of a turn", () => {
    for (let seed = 0; seed < 50; seed++) {
      const { state, observation } = sokoban.reset(seed);
      const turns = sokoban.admissibleActions(state).map((action) => sokoban.step(state, action));
      expect(turns).toHaveLength(4);
      expect(turns.some((turn) => turn.observation !== observation)).toBe(true);
      for (const turn of turns) {
        if (turn.observation !== observation) continue;
        expect(turn.state).toEqual({ ...state, turns: 1, steps: 1 });
        expect(turn.reward).toBe(-0.1);
      }
    }
  });
});

describe("the generator", () => {
  it("makes the same room from the same seed, and another from another", () => {
    expect(generateRoom(spec, 7)).toEqual(generateRoom(spec, 7));
    const texts = Array.from({ length: 200 }, (_, seed) => sokoban.reset(seed).observation);
    expect(new Set(texts).size).toBeGreaterThan(180);
  });

  it("makes a solvable, unsolved room for every corner of the specification", () => {
    for (const size of [5, 6, 7, 8, 10])
      for (const numBoxes of [1, 2, 3, 4])
        for (const searchDepth of [1, 2, 3, 10, 30])
          for (const seed of [0, taskSeeds.seen.from]) {
            const { ground, position } = generateRoom({ ...spec, size, numBoxes, searchDepth }, seed);
            const title = `size ${size}, ${numBoxes} boxes, depth ${searchDepth}, seed ${seed}`;
            expect(position.boxes, title).toHaveLength(numBoxes);
            expect(isSolved(ground, position), title).toBe(false);
            expect(solve(ground, position), title).toBeDefined();
          }
  });

  it("never shows training a ground that validation will use", () => {
    const groundsFrom = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => generateRoom(spec, from + i).ground.cells.join());
    const trained = new Set(groundsFrom(taskSeeds.train.from, 3000));
    const heldOut = groundsFrom(taskSeeds.seen.from, 500);
    expect(heldOut.filter((ground) => trained.has(ground))).toEqual([]);
    expect(new Set(heldOut).size).toBeGreaterThan(200);
  });

  it("makes default rooms with solutions of one to fifteen moves, near four on average", () => {
    const lengths = Array.from({ length: 1000 }, (_, seed) => {
      const { ground, position } = generateRoom(spec, seed);
      return solve(ground, position)?.length ?? Infinity;
    });
    const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
    expect(mean).toBeGreaterThan(3.4);
    expect(mean).toBeLessThan(4.6);
    expect(Math.min(...lengths)).toBe(1);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(15);
  });
});

describe("the expert", () => {
  it("solves at least 98 of 100 default rooms within the turns, in as many as a breadth-first search needs", () => {
    const family = toTaskFamily(makeSokoban(spec));
    let solved = 0;
    for (let seed = 0; seed < 300; seed++) {
      let episode = family.start(seed);
      const rng = split(seed, "expert");
      const { ground, position } = generateRoom(spec, seed);
      const shortest = searchBreadthFirst(ground, position);
      expect(episode.optimalLength()).toBe(shortest);
      while (episode.ending === "ongoing") episode = episode.respond(episode.expertResponse(rng)).episode;
      if (episode.isSuccess) expect(episode.turn).toBe(shortest);
      solved += episode.isSuccess ? 1 : 0;
    }
    expect(solved / 300).toBeGreaterThanOrEqual(0.98);
  });

  it("thinks of the box it will push next, in at most six words", () => {
    const { ground, position } = stateOf(["######", "#O_X_#", "#____#", "#P___#", "#____#", "######"]);
    const { thought, action } = advise(ground, position);
    expect(thought).toBe("box above right , push left");
    expect(["up", "right"]).toContain(action);
  });

  it("draws both of two equally short ways", () => {
    const { ground, position } = stateOf(["######", "#O_X_#", "#____#", "#P___#", "#____#", "######"]);
    const actions = Array.from({ length: 40 }, (_, i) => advise(ground, position, split(i, "tie")).action);
    expect(new Set(actions)).toEqual(new Set(["up", "right"]));
  });

  it("says that it is stuck where no solution is left", () => {
    const { ground, position } = stateOf(["######", "#X__O#", "#____#", "#P___#", "#____#", "######"]);
    expect(advise(ground, position)).toEqual({ thought: "stuck", action: "still" });
  });
});

function stateOf(rows: readonly string[]) {
  const text = rows.join("");
  const indices = (wanted: string) =>
    [...text.split("").entries()].filter(([, c]) => wanted.includes(c)).map(([i]) => i);
  const targets = indices("O√S");
  const ground: Ground = {
    size: rows.length,
    cells: text.split("").map((c, i) => (c === "#" ? "wall" : targets.includes(i) ? "target" : "floor")),
    targets,
  };
  const position: Position = { player: indices("PS")[0] ?? 0, boxes: indices("X√") };
  expect(toText(ground, position)).toBe(rows.join("\n"));
  expect(text.split("").every((c) => glyphs.some((glyph) => glyph === c))).toBe(true);
  return { ground, position, turns: 0, steps: 0 };
}

/** Computes the length of a shortest solution independently, by plain breadth-first search. */
function searchBreadthFirst(ground: Ground, start: Position): number | undefined {
  const seen = new Set([JSON.stringify(start)]);
  let layer = [start];
  for (let length = 0; layer.length > 0; length++) {
    if (layer.some((position) => isSolved(ground, position))) return length;
    layer = layer
      .flatMap((position) => (["up", "down", "left", "right"] as const).map((way) => move(ground, position, way)))
      .filter((position) => {
        const key = JSON.stringify(position);
        return !seen.has(key) && seen.add(key);
      });
  }
  return undefined;
}

it("sparse rewards pay the solution and nothing else", () => {
  const native = makeSokoban(SokobanSpec.parse({ id: "sokoban" }));
  const sparse = makeSokoban(SokobanSpec.parse({ id: "sokoban", reward: "sparse" }));
  for (let seed = 0; seed < 20; seed++) {
    let { state } = sparse.reset(seed);
    const rewards: number[] = [];
    while (!sparse.isSuccess(state)) {
      const { action } = sparse.expert(state);
      const next = sparse.step(state, action);
      expect(next.state).toEqual(native.step(state, action).state);
      rewards.push(next.reward);
      state = next.state;
    }
    expect(rewards).toEqual([...rewards.slice(1).map(() => 0), 10]);
  }
});

describe("a room too large for an exact search", () => {
  it("is solved, but its shortest solution is not told", () => {
    const large = makeSokoban({ ...spec, size: 10, numBoxes: 4, searchDepth: 100, maxTurns: 200 });
    const { state } = large.reset(5);
    expect(large.optimalLength?.(state)).toBeUndefined();
    expect(solve(state.ground, state.position)).toBeDefined();
  });
});
