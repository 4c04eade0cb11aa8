import { expect, it } from "vitest";
import { AlfworldSpec } from "#trainer/spec/environments/alfworld.ts";
import { act } from "./act.ts";
import { possibleCommands } from "./command.ts";
import { generateWorld } from "./generator.ts";
import { isWon } from "./goal.ts";
import { optimalLength } from "./optimal.ts";
import { beginState, taskTypes, type State } from "./world.ts";

const spec = AlfworldSpec.parse({ id: "alfworld", numReceptacles: 6, numObjects: 4, closedPercent: 50 });

it.each(taskTypes)("no sequence of actions solves a task sooner: %s", (type) => {
  for (const seed of [0, 1, 2]) {
    const start = beginState(generateWorld({ ...spec, taskTypes: [type] }, seed));
    expect(optimalLength(start), `seed ${seed}`).toBe(searchBreadthFirst(start));
  }
});

/**
 * Computes the length of a shortest solution independently, by breadth-first search over states. Objects of other kinds
 * are not moved.
 */
function searchBreadthFirst(start: State): number | undefined {
  const seen = new Set<string>();
  const idle = new Set(["look", "inventory", "help", "examineReceptacle", "examineObject", "close", "slice"]);
  const keyOf = ({ location, isOpen, places, temperatures, isClean, isLit }: State): string =>
    JSON.stringify([location, isOpen, places, temperatures, isClean, isLit]);
  let layer = [start];
  for (let length = 0; layer.length > 0; length++) {
    if (layer.some(isWon)) return length;
    const next: State[] = [];
    for (const state of layer) {
      for (const { text, command } of possibleCommands(state)) {
        const isOther =
          command.verb === "take" && start.world.objects[command.object]?.kind !== start.world.goal.object;
        if (idle.has(command.verb) || isOther) continue;
        const { state: after } = act(state, text);
        const key = keyOf(after);
        if (seen.has(key)) continue;
        seen.add(key);
        next.push(after);
      }
    }
    layer = next;
  }
  return undefined;
}
