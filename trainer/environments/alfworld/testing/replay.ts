import { z } from "zod";
import { makeReplayLog, type ReplayReport } from "../../testing/replayLog.ts";
import { act } from "../act.ts";
import { possibleCommands } from "../command.ts";
import { isWon, makeGoal } from "../goal.ts";
import { welcome } from "../text.ts";
import { beginState, makeWorld, type TaskType, type World } from "../world.ts";

const types: Readonly<Record<string, TaskType>> = {
  pick_and_place_simple: "pick",
  look_at_obj_in_light: "look",
  pick_clean_then_place_in_recep: "clean",
  pick_heat_then_place_in_recep: "heat",
  pick_cool_then_place_in_recep: "cool",
  pick_two_obj_and_place: "pick2",
};

const Game = z.object({
  task_type: z.enum(Object.keys(types)),
  object_target: z.string(),
  parent_target: z.string(),
  toggle_target: z.string(),
  receptacles: z.array(z.object({ name: z.string(), type: z.string().optional(), location: z.string() })),
  objects: z.array(z.object({ name: z.string(), type: z.string().optional(), on: z.string() })),
  initial_obs: z.string(),
  initial_admissible: z.array(z.string()),
  steps: z.array(
    z.object({
      cmd: z.string(),
      obs: z.string(),
      score: z.number(),
      done: z.boolean(),
      admissible: z.array(z.string()),
    }),
  ),
});
type Game = z.infer<typeof Game>;

/** Replays recorded games of ALFWorld's engine, one per record: observations, admissible actions and endings. */
export function replayAlfworld(records: readonly unknown[]): ReplayReport {
  const log = makeReplayLog();
  for (const [line, record] of records.entries()) {
    const game = Game.parse(record);
    const world = toWorld(game);
    let state = beginState(world);
    const admissible = (): string[] => possibleCommands(state).map(({ text }) => text);
    const at = `line ${line + 1}`;
    const check = log.at(at);
    check(
      "types",
      toTypes(game, ({ type }) => type?.toLowerCase()),
      toTypes(game, ({ type, name }) => type && kindOf(name)),
    );
    check("observation", game.initial_obs, welcome(world));
    check("admissible", game.initial_admissible.toSorted(), admissible());
    for (const [i, step] of game.steps.entries()) {
      const check = log.at(`${at}, step ${i + 1} (${step.cmd})`);
      const { observation, state: next } = act(state, step.cmd);
      state = next;
      check("observation", step.obs, observation);
      check("admissible", step.admissible.toSorted(), admissible());
      check("ending", [step.done, step.score], [isWon(state), isWon(state) ? 1 : 0]);
    }
  }
  return log.report();
}

type Thing = Game["receptacles" | "objects"][number];

function toTypes({ receptacles, objects }: Game, toWord: (thing: Thing) => string | undefined) {
  return [...receptacles, ...objects].map(toWord);
}

function kindOf(name: string): string {
  return name.split(" ")[0] ?? "";
}

function toWorld(game: Game): World {
  const locations = [...new Set(game.receptacles.map(({ location }) => location))];
  const named = (name: string) => {
    const [kind = "", number = ""] = name.split(" ");
    return { kind, number: Number(number) };
  };
  const type = types[game.task_type] ?? "pick";
  const names = {
    type,
    object: game.object_target.toLowerCase(),
    target: (type === "look" ? game.toggle_target : game.parent_target).toLowerCase(),
  };
  const isFirst = game.initial_obs.includes(makeGoal(names, 0).text);
  return makeWorld({
    receptacles: game.receptacles.map(({ name, location }) => ({
      ...named(name),
      location: locations.indexOf(location),
    })),
    objects: game.objects.map(({ name, on }) => ({
      ...named(name),
      on: game.receptacles.findIndex((receptacle) => receptacle.name === on),
    })),
    goal: makeGoal(names, isFirst ? 0 : 1),
  });
}
