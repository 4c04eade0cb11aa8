import type { EnvironmentId, EnvironmentSpec } from "#trainer/spec/environment.ts";
import { always, only, without, type Handling } from "../handling.ts";
import type { Flavour } from "./part.ts";

/** Values that ARLArena's published scripts fix for an environment, and for which the specification has no settings. */
export type Recipe = Pick<Flavour, "countsSteps" | "unknownEstimators"> & {
  module: string;
  mode: "text" | "visual";
  envName: string;
  model: string | undefined;
  promptTokens: number;
  /** Treatment of a prompt that is too long: "error" ends the run, "left" cuts off the prompt's beginning. */
  truncation: "error" | "left";
  /** Fraction of all steps during which the learning rate warms up; null: no warm-up. */
  warmupRatio: number | null;
  microBatch: number;
  offload: boolean;
  gpuMemory: number;
  enforceEager: boolean;
  freeCache: boolean;
  numCpus: number;
  keep: number;
  /** Keys that this configuration lacks and others have, although its code reads them; passed with "+". */
  added: readonly string[];
  settings: (environment: EnvironmentSpec) => string[];
  environment: (environment: EnvironmentSpec) => Readonly<Record<string, Handling>>;
};

type Settings<Id extends EnvironmentId> = { readonly [Name in keyof Extract<EnvironmentSpec, { id: Id }>]: Handling };

const generated = "tasks are the original's, not generated ones";

/** Values on which the scripts of Sokoban and search agree. */
const sokobanAndSearch = {
  model: undefined,
  truncation: "left",
  warmupRatio: 0.1,
  microBatch: 16,
  offload: true,
  gpuMemory: 0.5,
  enforceEager: true,
  freeCache: true,
  numCpus: 0.1,
  keep: 1,
  countsSteps: false,
  added: ["actor_rollout_ref.actor.kl_loss_update", "algorithm.filter_groups.cold_start_steps"],
  unknownEstimators: ["aepo", "cispo", "dapo", "drgrpo", "empg", "gspo", "sapo", "vanilla_grpo"],
} as const;

export const recipes: { readonly [Id in EnvironmentId]?: Recipe } = {
  alfworld: {
    module: "recipe.world_agent.main_world_agent",
    mode: "text",
    envName: "alfworld/AlfredTWEnv",
    model: "UCLA-SCAI/Qwen3-4B-rft-alfworld",
    promptTokens: 2048,
    truncation: "error",
    warmupRatio: null,
    microBatch: 32,
    offload: false,
    gpuMemory: 0.4,
    enforceEager: false,
    freeCache: false,
    numCpus: 0.2,
    keep: 3,
    countsSteps: true,
    added: [],
    unknownEstimators: [],
    settings: () => [],
    environment: () =>
      ({
        id: "passed",
        maxTurns: "passed",
        taskTypes: only(
          [["pick", "look", "clean", "heat", "cool", "pick2"]],
          "the types of task are in ALFWorld's own configuration file, which no override reaches",
        ),
        numReceptacles: without(generated),
        numObjects: without(generated),
        closedPercent: without(generated),
        reward: only(["sparse"], "the original rewards the finished task alone"),
        projection: only(["strict"], "the recipe reads responses by ARLArena's projection"),
        notes: without("the prompt is the recipe's"),
        showAdmissible: without("the prompt is the recipe's, and lists admissible actions"),
      }) satisfies Settings<"alfworld">,
  },
  webshop: {
    module: "recipe.shop_agent.main_shop_agent",
    mode: "text",
    envName: "Webshop",
    model: "UCLA-SCAI/Qwen3-4B-rft-webshop",
    promptTokens: 4096,
    truncation: "error",
    warmupRatio: null,
    microBatch: 8,
    offload: true,
    gpuMemory: 0.5,
    enforceEager: true,
    freeCache: false,
    numCpus: 0.1,
    keep: 2,
    countsSteps: false,
    added: [],
    unknownEstimators: [],
    settings: () => [],
    environment: () =>
      ({
        id: "passed",
        maxTurns: "passed",
        catalogueSize: without("articles are the original's"),
        siblings: without("articles are the original's"),
        optionGroups: without("articles are the original's"),
        valuesPerGroup: without("articles are the original's"),
        attributesInGoal: without("goals are the original's"),
        hiddenAttributes: without("articles are the original's"),
        articleIds: without("articles are the original's"),
        resultsPerPage: without("the shop is the original's and lists 10"),
        priceTightness: without("goals are the original's"),
        reward: only(["sparse"], "the recipe rewards the finished purchase alone"),
        projection: only(["strict"], "the recipe reads responses by ARLArena's projection"),
        showAdmissible: without("the prompt is the recipe's"),
      }) satisfies Settings<"webshop">,
  },
  sokoban: {
    module: "recipe.game_agent.main_game_agent_ablation",
    mode: "visual",
    envName: "Sokoban",
    promptTokens: 1024,
    ...sokobanAndSearch,
    settings: (environment) => {
      const common = ["data.image_key=images", "env.sokoban.mode=rgb_array"];
      if (environment.id !== "sokoban") return common;
      const { size, numBoxes, searchDepth } = environment;
      return [
        ...common,
        `env.sokoban.dim_room=[${size},${size}]`,
        `env.sokoban.num_boxes=${numBoxes}`,
        `env.sokoban.search_depth=${searchDepth}`,
      ];
    },
    environment: () =>
      ({
        id: "passed",
        maxTurns: "passed",
        size: "passed",
        numBoxes: "passed",
        searchDepth: "passed",
        reward: only(["native"], "the recipe rewards as gym-sokoban does"),
      }) satisfies Settings<"sokoban">,
  },
};

/** ARLArena's search recipe. It has its own questions, so a plan sets only the number of turns. */
export const searchRecipe: Recipe = {
  module: "recipe.search_agent.main_search_agent",
  mode: "text",
  envName: "search",
  promptTokens: 4096,
  ...sokobanAndSearch,
  settings: () => [],
  environment: (environment) => ({
    ...Object.fromEntries(
      Object.keys(environment).map((name) => [name, without("the search recipe asks its own questions")]),
    ),
    id: always(["search"], "the template's recipe plays search"),
    maxTurns: "passed",
  }),
};
