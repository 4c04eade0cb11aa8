import type { Command } from "./command.ts";
import type { Game, World } from "./game.ts";
import { parseCommand } from "./parse.ts";
import { perform } from "./perform.ts";
import { advance, type Progress, startProgress } from "./describe.ts";

export type Play = {
  readonly world: World;
  readonly progress: Progress;
  /** Game time in turns as in the compiled games, from 1. An input that is not understood adds no turn. */
  readonly clock: number;
};

export function startPlay(game: Game): Play {
  return { world: game.start, progress: startProgress(game), clock: 1 };
}

export type Move = {
  readonly play: Play;
  /** Command that was executed; undefined if the input was no command or was refused. */
  readonly command: Command | undefined;
  /** Output of the game, without the line breaks around it. */
  readonly text: string;
  /** Whole output as the compiled games print it, with all line breaks, score changes and the ending. */
  readonly print: string;
};

export function type(game: Game, { world, progress, clock }: Play, line: string): Move {
  const parsed = parseCommand(game, world, line);
  if ("answer" in parsed) {
    const { answer, takesTime } = parsed;
    const play = { world, progress, clock: takesTime ? clock + 1 : clock };
    return { play, command: undefined, text: answer, print: `${answer}${takesTime ? "\n\n" : "\n"}` };
  }
  const { command, note } = parsed;
  const outcome = perform(game, world, command);
  const after = advance(game, outcome.world, progress);
  const reply = note === undefined ? outcome.text : `${note}\n${outcome.text}`;
  // The turn that loses the game is not counted, because the game ends before time advances.
  const now = after.isLost ? clock : clock + 1;
  const news = after.isLost ? "" : announceScore(after.score - progress.score);
  const printed = `${reply}${"\n".repeat(outcome.numBreaks)}${news === "" ? "" : `\n${news}\n`}`;
  return {
    play: { world: outcome.world, progress: after, clock: now },
    command: outcome.isDone ? command : undefined,
    text: [reply.trim(), news, announceEnd(after, game.maxScore, now)]
      .filter((part) => part !== "")
      .join(game.paragraph),
    print: `${printed}${printEnd(after, game.maxScore, now)}`,
  };
}

const numbers = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

function announceScore(gained: number): string {
  if (gained === 0) return "";
  return `Your score has just gone up by ${numbers[gained] ?? gained} ${gained === 1 ? "point" : "points"}.`;
}

function announceEnd({ isWon, isLost, score }: Progress, maxScore: number, clock: number): string {
  if (!isWon && !isLost) return "";
  return `${isWon ? won : lost}\n\nYou scored ${score} out of a possible ${maxScore}, in ${clock} turn(s).`;
}

const won = "*** The End ***";
const lost = "*** You lost! ***";
const screenWidth = 125;

function printEnd(progress: Progress, maxScore: number, clock: number): string {
  const end = announceEnd(progress, maxScore, clock);
  if (end === "") return "";
  const title = progress.isWon ? won : lost;
  const margin = " ".repeat((screenWidth - title.length) / 2);
  const gap = progress.isWon ? "\n\n" : "\n";
  return `${gap}${margin}${end}\n\n\nWould you like to RESTART, RESTORE a saved game, QUIT or UNDO the last command?`;
}
