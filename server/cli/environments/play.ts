import { tryJson } from "#trainer/spec/tryJson.ts";
import {
  environments,
  splitOf,
  taskSeeds,
  type EnvironmentId,
  type EnvironmentSpec,
  type Split,
} from "#trainer/spec/environment.ts";
import { packagesOf } from "#trainer/spec/environmentParts.ts";
import { readConfig } from "#server/config/config.ts";
import { fetchPackages } from "#server/engine/wheels/fetchPackages.ts";
import { readEnvironment } from "#server/domain/environments/environmentKnobs.ts";
import { AppError, badInput } from "#packages/base";
import { numTasks, seedOf } from "#server/domain/environments/taskSeed.ts";
import { beginEpisode, type LiveEpisode } from "#server/engine/playground/live.ts";
import { createReadStream } from "node:fs";
import { access } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { Outcome, Screen } from "../command.ts";

type PlayOptions = {
  /** Number of the task within its split; without `split`, seed of a task of any split. */
  seed: number;
  split: Split | undefined;
  /** Environment parameters as typed: "name=value". */
  knobs: readonly string[];
  /** Source of the actions: the scripted expert, or a file ("-": standard input). */
  actions: "expert" | { file: string };
};

export async function playEnvironment(id: EnvironmentId, options: PlayOptions, screen: Screen): Promise<Outcome> {
  const { actions } = options;
  const environment = parseKnobs(id, options.knobs);
  const seed = parseSeed(options);
  const packagesFolder = await fetchPackages(readConfig().home, packagesOf(environment));
  const episode = await beginEpisode(environment, seed, packagesFolder);
  try {
    screen.write(`${describeStart(id, seed, episode)}\n`);
    const isAsking = actions !== "expert" && actions.file === "-" && process.stdin.isTTY && screen.width !== undefined;
    const answers = actions === "expert" ? expertAnswers(episode) : readAnswers(actions.file, isAsking);
    for await (const answer of answers) {
      if (answer.kind === "quit") break;
      act(episode, answer, screen);
      if (!episode.isOngoing()) break;
    }
    const summary = episode.summary();
    const json = { environment, seed, split: splitOf(seed), ...summary };
    return { text: describeEnd(summary), json, exitCode: 0 };
  } finally {
    await episode.close();
  }
}

function act(episode: LiveEpisode, answer: Exclude<Answer, { kind: "quit" }>, screen: Screen): void {
  switch (answer.kind) {
    case "undo":
      episode.undo();
      return screen.write(`${episode.observation()}\n`);
    case "list":
      return screen.write(`${episode.admissible().join(" | ")}\n`);
    case "expert":
      episode.respond(episode.expertResponse());
      break;
    case "action":
      episode.act(answer.text);
      break;
    case "response":
      episode.respond(answer.text);
  }
  const turns = episode.summary().turns;
  const turn = turns.at(-1);
  if (!turn) return;
  const validity = turn.isFormatValid ? (turn.isActionValid ? "" : ", invalid action") : ", invalid format";
  screen.write(
    `\n[${turns.length}] ${turn.action}  reward ${roundTo(turn.reward)}${validity}\n${episode.observation()}\n`,
  );
}

async function* expertAnswers(episode: LiveEpisode): AsyncGenerator<Answer> {
  while (episode.isOngoing()) yield { kind: "expert" };
}

function parseKnobs(id: EnvironmentId, knobs: readonly string[]): EnvironmentSpec {
  const texts = knobs.map((text): [string, string] => {
    const at = text.indexOf("=");
    if (at < 1 || at === text.length - 1) throw new AppError("bad_input", `--set ${text}: write KNOB=VALUE`);
    return [text.slice(0, at), text.slice(at + 1)];
  });
  const { environment, problems } = readEnvironment(id, Object.fromEntries(texts));
  if (environment) return environment;
  throw badInput(Object.entries(problems).map(([path, message]) => ({ path: `--set ${path}`, message })));
}

function parseSeed({ seed, split }: PlayOptions): number {
  if (split === undefined) {
    if (seed < taskSeeds.unseen.to) return seed;
    throw new AppError("bad_input", `--seed is ${seed}, must be at most ${taskSeeds.unseen.to - 1}`);
  }
  const taskSeed = seedOf(split, seed);
  if (taskSeed !== undefined) return taskSeed;
  throw new AppError("bad_input", `--seed is ${seed}, but the split ${split} has tasks 0 to ${numTasks(split) - 1}`);
}

function describeStart(id: EnvironmentId, seed: number, episode: LiveEpisode): string {
  const { taskType, optimalLength, maxTurns, task } = episode.summary();
  const split = splitOf(seed);
  const facts = [
    `${environments[id].title}, task ${seed - taskSeeds[split].from} of ${split} (seed ${seed})`,
    ...(taskType === undefined ? [] : [`type ${taskType}`]),
    ...(optimalLength === undefined ? [] : [`shortest solution ${optimalLength}`]),
    `at most ${maxTurns} turns`,
  ];
  return `${facts.join(", ")}\nTask: ${task}\n\n${episode.observation()}`;
}

function describeEnd({ ending, isSuccess, turns, reward, score }: ReturnType<LiveEpisode["summary"]>): string {
  const how =
    ending === "ongoing" ? "Left" : isSuccess ? "Solved" : ending === "truncated" ? "Out of turns" : "Not solved";
  const points = score === undefined ? "" : `, score ${roundTo(score)}`;
  return `\n${how} after ${turns.length} ${turns.length === 1 ? "turn" : "turns"}, reward ${roundTo(reward)}${points}`;
}

/** Formats a sum of rewards without rounding errors. */
function roundTo(x: number): string {
  return String(Math.round(x * 1e6) / 1e6);
}

type Answer =
  | { kind: "action" | "response"; text: string }
  | { kind: "expert" }
  | { kind: "undo" }
  /** Request to list the admissible actions. */
  | { kind: "list" }
  | { kind: "quit" };

/** Yields the player's non-empty lines from a file or standard input ("-"); prompts for each on a terminal. */
async function* readAnswers(file: string, isAsking: boolean): AsyncGenerator<Answer> {
  if (file !== "-") {
    await access(file).catch((cause: unknown) => {
      throw new AppError("not_found", `there is no file ${file}`, { cause });
    });
  }
  const input = file === "-" ? process.stdin : createReadStream(file, "utf8");
  const lines = createInterface({ input, ...(isAsking && { output: process.stdout, prompt: "> " }) });
  if (isAsking) {
    process.stdout.write("(actions, or :expert, :undo, :list, :quit)\n");
    lines.prompt();
  }
  try {
    for await (const line of lines) {
      if (line.trim() !== "") yield parseAnswer(line.trim());
      if (isAsking) lines.prompt();
    }
  } finally {
    lines.close();
  }
}

const orders: ReadonlyMap<string, Answer> = new Map([
  [":expert", { kind: "expert" }],
  [":undo", { kind: "undo" }],
  [":list", { kind: "list" }],
  [":quit", { kind: "quit" }],
]);

/** A line with a tag is a whole response; text in double quotes is JSON, which may contain line breaks. */
export function parseAnswer(line: string): Answer {
  const order = orders.get(line);
  if (order) return order;
  const json = tryJson(line);
  const text = typeof json === "string" ? json : line;
  return { kind: /<[a-z_]+>/i.test(text) ? "response" : "action", text };
}
