import type { PaperItem, PaperTable, Recipe } from "./paper.ts";

const paper = "2510.01132";

const successBy = (group: string, caption: string, label: string): PaperTable => ({
  kind: "table",
  options: { metrics: ["evaluation/successRate"], test: "none", collapse: "none", group },
  wording: { caption, label },
});

const smallPolicy = "A transformer with 0.1 M parameters, cloned from imperfect demonstrations, replaces Qwen2.5.";
const withGrpo = "The experiment trains with GRPO, the paper with PPO.";
const noTrainer = "the paper's trainer is a fork of verl for which the studio has no template";

const item = (id: string, title: string, embedded: Recipe): PaperItem => ({
  id,
  paper,
  title,
  scales: { embedded, llm: { missing: noTrainer } },
});

export const practitioners: readonly PaperItem[] = [
  item("complexity", "Table 1: rooms, objects and length of the quest", {
    presets: ["complexity-textworld"],
    result: successBy("none", "Success by complexity of the environment.", "complexity"),
    differs: [smallPolicy, withGrpo],
  }),
  item("transfer-swe-gym", "Table 6: transfer between complexities of SWE-Gym", {
    presets: ["transfer-swe-gym"],
    result: { kind: "transfer" },
    differs: [
      smallPolicy,
      "Bugs are one-line changes. Complexity means the number of functions and modules to search.",
    ],
  }),
  item("model-size", "Table 3: size of the model", {
    presets: ["model-size-textworld"],
    result: successBy("none", "Success by size of the policy and complexity.", "model-size"),
    differs: [
      "Transformers with 0.1 M and 0.8 M parameters, cloned from imperfect demonstrations, replace Qwen2.5 1.5B and 7B.",
      withGrpo,
      "Quests have three and four steps. The paper's quests have four and eight steps.",
    ],
  }),
  item("horizon", "Table 4: turn limit of an episode, on TextWorld", {
    presets: ["horizon-textworld"],
    result: successBy("none", "Success by maximum number of turns.", "horizon"),
    differs: [smallPolicy, withGrpo],
  }),
  item("transfer", "Table 5: transfer between complexities of TextWorld", {
    presets: ["transfer-textworld"],
    result: { kind: "transfer" },
    differs: [
      smallPolicy,
      withGrpo,
      "The initial policy is cloned from demonstrations of all three environments. The paper starts from a language model.",
      "Quests have three and four steps; a policy of this size does not learn the paper's eight-step quests.",
    ],
    recorded: ["transfer/textworld", "transfer/sokoban"],
  }),
  item("transfer-tasks", "Table 7: transfer between types of task of ALFWorld", {
    presets: ["transfer-alfworld"],
    result: { kind: "transfer" },
    differs: [smallPolicy, withGrpo, "The rooms are small, with four types of task."],
    recorded: ["transfer/alfworld"],
  }),
  item("mixtures", "Mixtures, and a curriculum", {
    presets: ["curriculum-sokoban"],
    result: { kind: "transfer" },
    differs: [
      smallPolicy,
      "SAMPO trains on Sokoban with one and two boxes; the paper trains PPO on TextWorld and ALFWorld.",
      "The curriculum is an addition of the studio; the paper has none.",
    ],
    recorded: ["transfer/curriculum"],
  }),
  item("density", "Table 11: density of the reward, sparse, balanced and dense", {
    presets: ["reward-density-textworld"],
    result: successBy("none", "Success by density of the reward.", "density"),
    differs: [smallPolicy],
  }),
  item("algorithms", "Table 10: PPO, GRPO, RLOO and REINFORCE++", {
    presets: ["paper-algorithms-textworld"],
    result: successBy("none", "Success by algorithm and complexity.", "algorithms"),
    differs: [smallPolicy, "The harder quest has six steps instead of eight."],
  }),
  item("sft-rl", "Table 9: SFT : RL, one budget for demonstrations and reinforcement learning", {
    presets: ["sft-rl-split"],
    result: successBy("none", "Success by the share of the budget spent on demonstrations.", "sft-rl"),
    differs: [
      smallPolicy,
      "The experiment runs on Sokoban with a budget of 8,000 episodes, instead of TextWorld with 1,000.",
    ],
  }),
  item("prior", "SFT: demonstrations of another domain", {
    presets: ["prior-textworld"],
    result: successBy("none", "Success after demonstrations of the same and of another domain.", "prior"),
    differs: [
      smallPolicy,
      withGrpo,
      "The other domain is TextWorld's cooking games. Small policies cloned on cooking games solve no quest, so there is no success to lose.",
    ],
  }),
];
