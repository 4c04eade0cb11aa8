import { z } from "zod";
import { makeReplayLog, type Check, type ReplayReport } from "../../testing/replayLog.ts";
import { makeAction, toAction, toFacts, type Action } from "../action.ts";
import { listAdmissible } from "../command.ts";
import { describeInventory, describeRoom } from "../describe.ts";
import type { Game } from "../game.ts";
import { GameFile, readGame, type ActionRecord } from "./gameFile.ts";
import { startPlay, type, type Play } from "../play.ts";
import { signOf } from "../outcome.ts";
import { followAction, startPolicy, type PlannedQuest, type WinningPolicy } from "../winningPolicy.ts";

const Step = z.object({
  cmd: z.string(),
  feedback: z.string(),
  description: z.string(),
  inventory: z.string(),
  score: z.int(),
  dense: z.int(),
  done: z.boolean(),
  won: z.boolean(),
  lost: z.boolean(),
  admissible: z.array(z.string()),
  policy_len: z.int(),
});

const Run = z.object({
  game: z.union([z.string(), GameFile]),
  mode: z.string(),
  objective: z.string(),
  max_score: z.int(),
  initial_feedback: z.string(),
  initial_description: z.string(),
  initial_inventory: z.string(),
  initial_admissible: z.array(z.string()),
  steps: z.array(Step),
});
type Run = z.infer<typeof Run>;

/** Replays recorded episodes. `games` has parsed JSON by file name, for recordings that name a game file. */
export function replayTextWorld(
  records: readonly unknown[],
  games: Readonly<Record<string, unknown>> = {},
): ReplayReport {
  const log = makeReplayLog();
  const loaded = new Map<string, Loaded>();
  for (const [i, record] of records.entries()) {
    const run = Run.parse(record);
    const name = typeof run.game === "string" ? run.game : `game of line ${i + 1}`;
    const known = loaded.get(name) ?? load(GameFile.parse(typeof run.game === "string" ? games[run.game] : run.game));
    loaded.set(name, known);
    replayRun(run, known, (step) => log.at(`${name} (${run.mode})${step}`));
  }
  return log.report();
}

type Loaded = { readonly game: Game; readonly quests: readonly PlannedQuest[] };

function load(file: GameFile): Loaded {
  return { game: readGame(file), quests: planQuests(file) };
}

function planQuests({ quests }: GameFile): readonly PlannedQuest[] {
  const toText = ({ name, arguments: of }: ActionRecord["preconditions"][number]): string =>
    `${name}(${of.map((argument) => argument.name).join(",")})`;
  const read = ({ name, preconditions, postconditions }: ActionRecord): Action =>
    makeAction(name, preconditions.map(toText), postconditions.map(toText));
  const plan = ({ actions, condition }: (typeof quests)[number]["win_events"][number]) => ({
    actions: actions.map(read),
    facts: condition.preconditions.map(toText),
  });
  return quests.map(({ win_events, fail_events }) => ({ wins: win_events.map(plan), fails: fail_events.map(plan) }));
}

/** Replays one recorded episode. `checkAt` returns the comparing function for a step, or for the whole if empty. */
function replayRun(run: Run, { game, quests }: Loaded, checkAt: (step: string) => Check): void {
  let play = startPlay(game);
  let policy = startPolicy(quests, toFacts(game, play.world));
  const description = describeRoom(game, play.world);
  const opening = [game.objective, description].filter((part) => part !== "").join("\n\n");
  const checkRun = checkAt("");
  checkRun("objective", run.objective, game.objective);
  checkRun("max score", run.max_score, game.maxScore);
  const checkStart = checkAt(" at the start");
  checkStart("feedback", run.initial_feedback.trim(), opening.trim());
  checkStart("description", run.initial_description, description.trim());
  checkStart("inventory", run.initial_inventory, describeInventory(game, play.world));
  checkStart("admissible", run.initial_admissible, listAdmissible(game, play.world));
  for (const [i, step] of run.steps.entries()) {
    const before = play;
    const move = type(game, before, step.cmd);
    play = move.play;
    const length = policy.length;
    if (move.command !== undefined)
      policy = followAction(policy, toAction(game, before.world, move.command), toFacts(game, play.world));
    const moved = { game, before, play, print: move.print, length, policy };
    compareStep(step, moved, checkAt(`, step ${i + 1}: ${step.cmd}`));
  }
}

type Moved = {
  game: Game;
  before: Play;
  play: Play;
  print: string;
  /** Length of the plan to win before the step, while `policy` is the plan after it. */
  length: number | undefined;
  policy: WinningPolicy;
};

function compareStep(
  step: Run["steps"][number],
  { game, before, play, print, length, policy }: Moved,
  check: Check,
): void {
  const { isWon, isLost, score } = play.progress;
  // A lost game ends before it prints room and inventory, so the recording repeats the texts of the turn before.
  const world = isLost ? before.world : play.world;
  check("feedback", step.feedback, print);
  check("description", step.description, describeRoom(game, world).trim());
  check("inventory", step.inventory, describeInventory(game, world));
  check("admissible", step.admissible, listAdmissible(game, play.world));
  check("score", step.score, score);
  check("ending", [step.done, step.won, step.lost], [isWon || isLost, isWon, isLost]);
  check("dense reward", step.dense, signOf(play.progress, length, policy.length));
  check("plan length", step.policy_len, policy.length ?? 0);
}
