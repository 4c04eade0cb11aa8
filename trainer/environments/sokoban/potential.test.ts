import { describe, expect, it } from "vitest";
import { SokobanSpec } from "#trainer/spec/environments/sokoban.ts";
import { split } from "#trainer/spec/rng.ts";
import { findViolations } from "../testing/conformance.ts";
import { toTaskFamily, type Episode } from "../episode.ts";
import { formatResponse } from "../response.ts";
import { generateRoom } from "./generator.ts";
import { makePotential, worstPotential } from "./sokoban.ts";
import { directions, move, type Ground, type Position } from "./room.ts";
import { makeSokoban } from "./sokoban.ts";
import { solve } from "./solver.ts";

const hard = { size: 7, numBoxes: 2 };
const spec = SokobanSpec.parse({ id: "sokoban", reward: "progress" });

/** Plays an episode with the expert and random slips. Returns the rewards and the ending. */
function play(level: SokobanSpec, seed: number, { slipRate, life }: { slipRate: number; life: number }) {
  let episode: Episode = toTaskFamily(makeSokoban(level)).start(seed);
  const rewards: number[] = [];
  while (episode.ending === "ongoing") {
    const rng = split(seed, "slips", life, episode.turn);
    const slip = rng.next() < slipRate ? directions[rng.int(4)] : undefined;
    const turn = episode.respond(episode.expertResponse(rng, slip));
    rewards.push(turn.reward);
    episode = turn.episode;
  }
  const total = rewards.reduce((sum, reward) => sum + reward, 0);
  return { rewards, total, isSuccess: episode.isSuccess, turns: episode.turn };
}

describe("rewards of progress", () => {
  it("are a quarter for every move of a shortest solution, and ten more for the last", () => {
    for (let seed = 0; seed < 100; seed++) {
      const numMoves = toTaskFamily(makeSokoban(spec)).start(seed).optimalLength() ?? NaN;
      const { rewards, total } = play(spec, seed, { slipRate: 0, life: 0 });
      expect(rewards).toEqual([...Array.from({ length: numMoves - 1 }, () => 0.25), 10.25]);
      expect(total).toBe(10 + numMoves / 4);
    }
  });

  it("sum up to the potential gained, to the last bit, whatever happens on the way", () => {
    const potential = makePotential();
    for (let seed = 0; seed < 60; seed++) {
      const level = SokobanSpec.parse({ ...spec, ...(seed % 2 === 0 && hard) });
      const { ground, position } = generateRoom(level, seed);
      const rng = split(seed, "wander");
      let episode = toTaskFamily(makeSokoban(level)).start(seed);
      let [here, total]: [Position, number] = [position, 0];
      while (episode.ending === "ongoing") {
        const action = directions[rng.int(4)] ?? "up";
        const turn = episode.respond(formatResponse({ thought: "", action }));
        here = move(ground, here, action);
        total += turn.reward;
        episode = turn.episode;
      }
      const gained = potential(ground, here) - potential(ground, position);
      expect(total).toBe((episode.isSuccess ? 10 : 0) + gained);
    }
  });

  it("never change which episode is best: all solutions of a room earn the same, every failure less", () => {
    let [numSolved, numFailed] = [0, 0];
    for (let seed = 0; seed < 40; seed++) {
      const lives = [0, 0.3, 0.6, 0.9, 1, 1].map((slipRate, life) => play(spec, seed, { slipRate, life }));
      const solved = lives.filter((life) => life.isSuccess);
      const failed = lives.filter((life) => !life.isSuccess);
      expect(new Set(solved.map((life) => life.total)).size).toBeLessThanOrEqual(1);
      // The reward of 10 for a solution still separates solved from failed episodes.
      for (const { total } of failed) expect((solved[0]?.total ?? NaN) - total).toBeGreaterThanOrEqual(10);
      numSolved += new Set(solved.map((life) => life.turns)).size > 1 ? 1 : 0;
      numFailed += failed.length;
    }
    // The test did compare solutions of different lengths, and failures.
    expect(numSolved).toBeGreaterThan(10);
    expect(numFailed).toBeGreaterThan(20);
  });

  it("charge a push that cannot be undone once, and nothing afterwards", () => {
    // If the box is pushed up from here, it can never leave the upper wall.
    const text = ["######", "#____#", "#_X__#", "#_P_O#", "#____#", "######"].join("");
    const cells = text.split("").map((c) => (c === "#" ? "wall" : c === "O" ? "target" : "floor"));
    const ground: Ground = { size: 6, cells, targets: [text.indexOf("O")] };
    const position = { player: text.indexOf("P"), boxes: [text.indexOf("X")] };
    const sokoban = makeSokoban(spec);
    const numMoves = solve(ground, position)?.length ?? NaN;
    const pushed = sokoban.step({ ground, position, turns: 0, steps: 0 }, "up");
    expect(pushed.reward).toBe(worstPotential + numMoves / 4);
    expect(sokoban.step(pushed.state, "right").reward).toBe(0);
    expect(sokoban.step(pushed.state, "still").reward).toBe(0);
  });

  it("keep every promise of an environment", () => {
    const seeds = Array.from({ length: 15 }, (_, i) => i);
    expect(findViolations(makeSokoban(spec), seeds)).toEqual([]);
    expect(findViolations(makeSokoban(SokobanSpec.parse({ ...spec, ...hard })), seeds)).toEqual([]);
  });
});

describe("the potential of a room", () => {
  it("is that of its shortest solution, whatever was asked before and however its boxes are numbered", () => {
    for (let seed = 0; seed < 30; seed++) {
      const { ground, position } = generateRoom(SokobanSpec.parse({ ...spec, ...hard }), seed);
      const [warm, rng] = [makePotential(), split(seed, "walk")];
      let here = position;
      for (let turn = 0; turn < 12; turn++) {
        const expected = Math.max(worstPotential, -0.25 * (solve(ground, here)?.length ?? Infinity));
        const renumbered = { ...here, boxes: here.boxes.toReversed() };
        expect(warm(ground, here)).toBeCloseTo(expected, 12);
        expect(warm(ground, renumbered)).toBe(warm(ground, here));
        expect(makePotential()(ground, renumbered)).toBe(warm(ground, here));
        here = move(ground, here, directions[rng.int(4)] ?? "up");
      }
    }
  });
});
