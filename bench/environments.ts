/**
 * Measures environments on one thread, at their defaults: `node bench/compiled.mjs environments [SECONDS 2] [ID …]`.
 * Prints generated tasks per second. Prints environment steps per second with observations, while the expert's
 * episodes are replayed, also mixed with random admissible actions. Prints whole turns per second, with prompt,
 * response and parsing as in training. Also prints the expert's success rate and turns, and prompt lengths.
 */
import { mean } from "#packages/statistics";
import { makeTaskFamily, type Episode, type TaskFamily } from "#trainer/environments/episode.ts";
import { BuiltInEnvironment, environments } from "#trainer/spec/environment.ts";
import { runsPython } from "#trainer/programs/packageArgs.ts";
import { loadPrograms } from "#trainer/programs/openPrograms.ts";
import { split } from "#trainer/spec/rng.ts";

const [seconds = 2] = process.argv.slice(2).map(Number).filter(Number.isFinite);
const chosen = process.argv.slice(2).filter((word) => !Number.isFinite(Number(word)));
const numTasks = 200;

for (const id of Object.keys(environments)) {
  if (chosen.length > 0 && !chosen.includes(id)) continue;
  const environment = BuiltInEnvironment.parse({ id });
  const family = await makeTaskFamily(environment, runsPython(environment) ? await loadPrograms() : undefined);
  const lives = Array.from({ length: numTasks }, (_, seed) => live(family, seed));
  const successes = lives.filter(({ isSuccess }) => isSuccess).length;
  const turns = lives.map(({ responses }) => responses.length);
  const tokens = lives.flatMap(({ promptTokens }) => promptTokens);
  console.log(`${id}: expert solves ${successes} of ${numTasks} in ${mean(turns).toFixed(1)} turns (${family.shape})`);
  line("tokens read per turn, mean / most", `${mean(tokens).toFixed(0)} / ${Math.max(...tokens)}`);
  line("words of the vocabulary", String(family.words.length));
  let seed = 0;
  line(
    "tasks made",
    perSecond(() => (family.start(seed++), 1)),
  );
  const starts = lives.map((life) => family.start(life.seed));
  let next = 0;
  const replay = (read: (episode: Episode) => void) => (): number => {
    const index = next++ % numTasks;
    let episode = starts[index];
    const { responses } = lives[index] ?? { responses: [] };
    for (const response of responses) {
      if (!episode) break;
      read(episode);
      ({ episode } = episode.respond(response));
    }
    return responses.length;
  };
  line("steps with their observation", perSecond(replay(() => {})));
  line(
    "turns with their prompt",
    perSecond(replay((episode) => void (family.shape === "windowed" ? episode.prompt(2) : episode.continuation()))),
  );
}

/** Plays an episode with the expert's actions, and random actions in a quarter of the turns. */
function live(family: TaskFamily, seed: number) {
  const responses: string[] = [];
  const promptTokens: number[] = [];
  let episode = family.start(seed);
  while (episode.ending === "ongoing") {
    const rng = split(seed, "bench", episode.turn);
    const actions = episode.admissibleActions();
    const isSlip = rng.int(4) === 0 && actions.length > 0;
    const response = episode.expertResponse(rng, isSlip ? actions[rng.int(actions.length)] : undefined);
    const read = family.shape === "windowed" ? episode.prompt(2) : episode.continuation();
    promptTokens.push(read.split(" ").length);
    responses.push(response);
    ({ episode } = episode.respond(response));
  }
  return { seed, responses, promptTokens, isSuccess: solves(family, seed) };
}

function solves(family: TaskFamily, seed: number): boolean {
  let episode = family.start(seed);
  while (episode.ending === "ongoing") ({ episode } = episode.respond(episode.expertResponse()));
  return episode.isSuccess;
}

/**
 * Measures the rate of `work`, which returns the amount done, per CPU second: other load on the machine has little
 * effect.
 */
function perSecond(work: () => number): string {
  repeat(work, 0.5);
  const { done, cpu } = repeat(work, seconds);
  return `${Math.round(done / cpu).toLocaleString("en")} per second`;
}

/**
 * Repeats `work` for at least `least` CPU seconds. Reading the clock costs as much as an environment step, so it is
 * read only every 20 calls.
 */
function repeat(work: () => number, least: number): { done: number; cpu: number } {
  const start = cpuSeconds();
  let done = 0;
  let cpu = 0;
  for (; cpu < least; cpu = cpuSeconds() - start) {
    for (let i = 0; i < 20; i++) done += work();
  }
  return { done, cpu };
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function line(what: string, figure: string): void {
  console.log(`  ${what.padEnd(40)} ${figure}`);
}
