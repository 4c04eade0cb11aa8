import type { EnvironmentId, EnvironmentSpec } from "#trainer/spec/environment.ts";
import { always, only, without, type Handling } from "../handling.ts";

/** Values that ARLArena's published scripts fix for an environment, and for which the specification has no settings. */
export type Recipe = {
  module: string;
  /** Name of ARLArena's trainer, which determines the advantage estimators that are available. */
  trainer: "world_agent" | "shop_agent" | "game_agent" | "search_agent";
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
  /**
   * True if the training loop passes its step to dynamic sampling. Otherwise, even a cold start of 0 steps would
   * never end.
   */
  countsSteps: boolean;
  /**
   * Keys that this recipe's configuration lacks and others have, although its code reads them; they are passed with
   * "+".
   */
  added: readonly string[];
  /** Names of advantage estimators and losses that other recipes have and this trainer does not. */
  unknownEstimators: readonly string[];
  /** Returns the overrides that follow from the environment's settings. */
  settings: (environment: EnvironmentSpec) => string[];
  /** Returns how the recipe handles each setting of the environment. */
  environment: (environment: EnvironmentSpec) => Readonly<Record<string, Handling>>;
};

/** How a recipe handles each setting of one environment. */
type Settings<Id extends EnvironmentId> = { readonly [Name in keyof Extract<EnvironmentSpec, { id: Id }>]: Handling };

const generated = "tasks are the original's, not generated ones";

export const recipes: { readonly [Id in EnvironmentId]?: Recipe } = {
  alfworld: {
    module: "recipe.world_agent.main_world_agent",
    trainer: "world_agent",
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
    trainer: "shop_agent",
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
    trainer: "game_agent",
    mode: "visual",
    envName: "Sokoban",
    model: undefined,
    promptTokens: 1024,
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
  trainer: "search_agent",
  mode: "text",
  envName: "search",
  model: undefined,
  promptTokens: 4096,
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
  settings: () => [],
  environment: (environment) => ({
    ...Object.fromEntries(
      Object.keys(environment).map((name) => [name, without("the search recipe asks its own questions")]),
    ),
    id: always(["search"], "the template's recipe plays search"),
    maxTurns: "passed",
  }),
};
