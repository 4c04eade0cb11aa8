import { z } from "zod";
import { makeConfined, type Limits } from "#trainer/confined/confine.ts";
import { runsPython, toArgument } from "#trainer/programs/packageArgs.ts";
import type { Packages } from "#trainer/python/packages.ts";
import { packagesOf } from "#trainer/spec/environmentParts.ts";
import { AppError } from "#packages/base";
import { valueOfAnswer } from "#server/engine/processes/answers.ts";
import type { Moment, Play, Position } from "./play.ts";
import { makePool, type Pool, processArgs } from "#server/engine/processes/pool.ts";
import type { Proposal } from "./propose.ts";
import { type EpisodeRequest, type ProposalRequest, type TextRequest, withPython } from "./requests.ts";

/** Size of each pool of processes that play episodes: a pool without Python, and one per set of Python packages. */
const episodePool = { size: 2, sizePerPerson: 1, maxWaiting: 16, what: "episodes" };
const policyPool = { size: 1, maxWaiting: 8, what: "episodes" };
/** Pool for language models; its process ends five minutes after its last use, which frees the memory. */
const modelPool = { ...policyPool, idleMs: 5 * 60_000 };

const gibibyte = 2 ** 30;
/** Limits of one request. A long episode needs a second of processor time, and the user waits for it. */
const episodeLimits: Limits = { cpuMs: 4_000, wallMs: 20_000, memoryBytes: gibibyte };
/** Limits of one response. A policy may read thousands of tokens for each token that it generates. */
const proposalLimits: Limits = { cpuMs: 300_000, wallMs: 600_000, memoryBytes: 2 * gibibyte };

type Signal = AbortSignal | undefined;
/** `packagesFolder` contains the wheels of the environment's Python packages; none is downloaded here. */
type Asked = { packagesFolder: string; signal?: Signal };

/** Processes that replay episodes, with limits, because an action's program may block one or fill its memory. */
export type Players = {
  moment(play: Play, asked: Asked): Promise<Moment>;
  expert(play: Play, asked: Asked): Promise<string>;
  position(play: Play, asked: Asked): Promise<Position>;
  proposal(request: ProposalRequest | TextRequest, signal?: Signal): Promise<Proposal>;
  close(): void;
};

declare global {
  // Next.js loads a module once per bundle, so pools in the module would exist several times.
  var arlarenaPlayers: Players | undefined;
}

export function players(): Players {
  globalThis.arlarenaPlayers ??= makePlayers(episodeLimits);
  return globalThis.arlarenaPlayers;
}

export function makePlayers(limits: Limits): Players {
  const plain = makePool(() => makeConfined(argsOf("episodes"), limits), episodePool);
  /** Pools by preloaded packages: an import during an episode would count against the episode's time limit. */
  const withPackages = new Map<string, Pool>();
  const pythonPool = (imported: Packages): Pool => {
    const packages = toArgument(imported);
    const start = () => makeConfined([...argsOf("episodes"), withPython, packages], limits);
    const pool = withPackages.get(packages) ?? makePool(start, episodePool);
    withPackages.set(packages, pool);
    return pool;
  };
  const policies = makePool(() => makeConfined(argsOf("policies"), proposalLimits), policyPool);
  /** Process pools for language models, by memory limit; there is more than one only if the limit changes. */
  const models = new Map<number, Pool>();
  const modelPoolOf = (limits: Limits): Pool => {
    const pool = models.get(limits.memoryBytes) ?? makePool(() => makeConfined(argsOf("models"), limits), modelPool);
    models.set(limits.memoryBytes, pool);
    return pool;
  };
  const play = async (request: EpisodeRequest, { packagesFolder, signal }: Asked): Promise<unknown> => {
    const { environment } = request.play;
    const packages = { names: packagesOf(environment), folder: packagesFolder };
    const pool = runsPython(environment) ? pythonPool(packages) : plain;
    const answer = await pool.ask(request, signal);
    if (answer.kind === "done") return valueOfAnswer(answer.value);
    const isBegun = request.play.replies.length > 0;
    throw refusal("The episode could not be computed", { limits, limit: answer.limit, advice: isBegun ? advice : "" });
  };
  return {
    moment: async (episode, asked) => z.custom<Moment>().parse(await play({ kind: "moment", play: episode }, asked)),
    expert: async (episode, asked) => z.string().parse(await play({ kind: "expert", play: episode }, asked)),
    position: async (episode, asked) =>
      z.custom<Position>().parse(await play({ kind: "position", play: episode }, asked)),
    async proposal(request, signal) {
      const isText = "model" in request;
      const limits = isText ? { ...proposalLimits, memoryBytes: request.memoryBytes } : proposalLimits;
      const answer = await (isText ? modelPoolOf(limits) : policies).ask(request, signal);
      if (answer.kind === "done") return z.custom<Proposal>().parse(valueOfAnswer(answer.value));
      throw refusal("The policy did not answer", { limits, limit: answer.limit, advice: "" });
    },
    close: () => [plain, ...withPackages.values(), policies, ...models.values()].forEach((pool) => pool.close()),
  };
}

function argsOf(name: "episodes" | "policies" | "models"): string[] {
  return processArgs({ bundle: name, source: `server/engine/playground/processes/${name}.ts` });
}

const advice =
  " A program that never ends or uses too much memory has this effect: change the action and send it again, or take back a turn.";

type Missed = { limits: Limits; limit: "time" | "memory"; advice: string };

function refusal(what: string, missed: Missed): AppError {
  const { cpuMs, wallMs, memoryBytes } = missed.limits;
  const most = {
    time: `${cpuMs / 1000} s of processor time (${wallMs / 1000} s in all)`,
    memory: `${Number((memoryBytes / gibibyte).toFixed(1))} GiB of memory`,
  }[missed.limit];
  return new AppError("bad_input", `${what}: it took more than ${most}.${missed.advice}`);
}
