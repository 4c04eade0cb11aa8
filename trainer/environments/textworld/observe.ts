import type { TextWorldSpec } from "#trainer/spec/environments/textworld.ts";
import { describeInventory, describeRoom } from "./describe.ts";
import { nameOf, type Game, type World } from "./game.ts";

/**
 * Renders the observation of one turn.
 * @param text the game's answer; undefined at the start, where the room is shown
 */
export function observe(
  mode: TextWorldSpec["obsMode"],
  game: Game,
  { world, text }: { world: World; text: string | undefined },
): string {
  const room = describeRoom(game, world).trim();
  const answer = text ?? room;
  switch (mode) {
    case "native":
      return answer;
    case "meow": {
      // This mode keeps only the description of a room from the feedback, and only when it was printed.
      const body = answer.includes("=-\n") ? answer.slice(answer.indexOf("=-\n") + 3) : "";
      const lines = [`You are now in the ${nameOf(game, world.room)}.`, body, describeInventory(game, world)];
      return lines.filter((line) => line !== "").join("\n");
    }
    case "described": {
      const lines = [answer, ...(answer.includes(room) ? [] : [room]), describeInventory(game, world)];
      return lines.join("\n");
    }
  }
}
