import type { MethodName } from "#trainer/spec/method.ts";

/** Tasks of ARLArena's Table S1, in its order. */
export const publishedTasks = ["ALFWorld", "WebShop", "Sokoban", "TIR-Math"] as const;

type Value = number | string | null;

export type PublishedSetting = {
  title: string;
  /** Path in a run's specification; absent if runs here have no such setting. */
  path?: string;
  /** Method whose runs have the setting; absent: all methods. */
  method?: MethodName;
  /** Published values by task; null: the paper has none. */
  values: readonly [Value, Value, Value, Value];
};

const everywhere = (value: Value): PublishedSetting["values"] => [value, value, value, value];
const exceptMath = (value: Value): PublishedSetting["values"] => [value, value, value, null];
type OfMethod = readonly [title: string, path: string, values: PublishedSetting["values"]];
const of = (method: MethodName, settings: readonly OfMethod[]) =>
  settings.map(([title, path, values]) => ({ title, path: `method.${path}`, method, values }));

/** ARLArena's Table S1, without the rows on its rollout engine and GPUs. */
export const publishedSettings: readonly PublishedSetting[] = [
  {
    title: "Policy",
    path: "policy.size",
    values: ["Qwen3-4B-RFT", "Qwen3-4B-RFT", "Qwen3-4B-VL-Instruct-RFT", "Qwen3-4B-Base"],
  },
  { title: "Turns per episode", path: "environment.maxTurns", values: [50, 15, 15, 5] },
  { title: "Remembered turns", path: "rollout.historyLength", values: [2, 2, 2, "8196 tokens"] },
  { title: "Group size", path: "rollout.groupSize", values: [8, 8, 8, 5] },
  { title: "Prompt tokens", values: [2048, 4096, 1024, 8196] },
  { title: "Response tokens", path: "rollout.maxResponseTokens", values: [512, 512, 512, 4096] },
  { title: "Format penalty", path: "reward.invalidActionPenalty", values: everywhere(0.1) },
  { title: "Group normalisation", path: "method.advantage.scale", values: everywhere("mean_std_norm") },
  { title: "Learning rate", path: "optimizer.learningRate", values: everywhere(1e-6) },
  { title: "Minibatch rows", path: "update.minibatchRows", values: [256, 128, 64, "128 prompts"] },
  { title: "KL coefficient", path: "update.klCoef", values: [0.01, 0.01, 0.01, 0] },
  { title: "Temperature, training", path: "rollout.temperature", values: everywhere(1) },
  { title: "Temperature, evaluation", path: "evaluation.temperature", values: [0.6, 0.6, 0.7, 0.6] },
  { title: "Top-p, evaluation", path: "evaluation.topP", values: everywhere(0.95) },
  { title: "Top-k, evaluation", path: "evaluation.topK", values: everywhere(20) },
  { title: "Groups per iteration", path: "rollout.numGroups", values: [16, 16, 32, 512] },
  { title: "Evaluation episodes", path: "evaluation.numEpisodes", values: everywhere(128) },
  { title: "Iterations", path: "budget.iterations", values: [200, 200, 200, 30] },
  ...of("grpo", [
    ["ε high", "clipping.high", [0.2, 0.2, 0.2, 0.28]],
    ["ε low", "clipping.low", everywhere(0.2)],
  ]),
  ...of("gigpo", [
    ["ε", "clipping.high", exceptMath(0.2)],
    ["γ", "advantage.gamma", exceptMath(0.95)],
    ["ω", "advantage.stepWeight", exceptMath(1)],
  ]),
  ...of("empg", [
    ["ε", "clipping.high", exceptMath(0.2)],
    ["k", "advantage.k", exceptMath(1)],
    ["k′", "advantage.kFuture", exceptMath(1)],
    ["ζ", "advantage.zeta", exceptMath(0.05)],
  ]),
  ...of("gspo", [
    ["ε high", "clipping.high", [4e-3, 4e-2, 4e-3, 4e-3]],
    ["ε low", "clipping.low", [3e-3, 3e-2, 3e-3, 3e-3]],
  ]),
  ...of("cispo", [
    ["ε high", "clipping.high", [0.2, 0.2, 0.2, 0.28]],
    ["ε low", "clipping.low", everywhere(1)],
  ]),
  ...of("sapo", [
    ["τ positive", "clipping.tauPositive", everywhere(1)],
    ["τ negative", "clipping.tauNegative", everywhere(1.05)],
  ]),
  ...of("dapoGrpo", [
    ["ε high", "clipping.high", [0.2, 0.2, 0.2, 0.28]],
    ["ε low", "clipping.low", everywhere(0.2)],
    ["Generation tries", "sampling.maxTries", [3, 3, 3, 2]],
  ]),
];
