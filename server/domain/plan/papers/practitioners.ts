import type { PaperItem, PaperTable, Recipe } from "./paper.ts";

const paper = "2510.01132";

const successBy = (group: string, caption: string, label: string): PaperTable => ({
  kind: "table",
  options: { metrics: ["evaluation/successRate"], test: "none", collapse: "none", group },
  wording: { caption, label },
});

const smallPolicy =
  "A transformer of 0.1 M parameters that begins from an imperfect demonstrator stands in for Qwen2.5.";
const noTrainer = "the paper's trainer is a fork of verl without a template here";

const item = (id: string, title: string, embedded: Recipe): PaperItem => ({
  id,
  paper,
  title,
  scales: { embedded, llm: { missing: noTrainer } },
});

export const practitioners: readonly PaperItem[] = [
  item("complexity", "Complexity: rooms, objects and length of the quest", {
    presets: ["complexity-textworld"],
    result: successBy("none", "Success by complexity of the environment.", "complexity"),
    differs: [smallPolicy, "It is under GRPO, where the paper has PPO."],
  }),
  item("transfer-swe-gym", "Table 2: transfer between complexities of SWE-Gym", {
    presets: ["transfer-swe-gym"],
    result: { kind: "transfer" },
    differs: [
      smallPolicy,
      "Bugs are changes of one line; complexity is the number of functions and modules in which to find them.",
    ],
  }),
  item("model-size", "Table 3: size of the model", {
    presets: ["model-size-textworld"],
    result: successBy("none", "Success by size of the policy and complexity.", "model-size"),
    differs: [
      "Transformers of 0.1 M and 0.8 M parameters that begin from an imperfect demonstrator stand in for Qwen2.5 1.5B and 7B.",
      "It is under GRPO, where the paper has PPO.",
      "Quests have three and four steps, where the paper's have four and eight.",
    ],
  }),
  item("horizon", "Table 4: turns of an episode", {
    presets: ["horizon-textworld"],
    result: successBy("none", "Success by maximum number of turns.", "horizon"),
    differs: [smallPolicy, "It is under GRPO, where the paper has PPO."],
  }),
  item("transfer", "Tables 5, 6 and 9: transfer between complexities", {
    presets: ["transfer-textworld"],
    result: { kind: "transfer" },
    differs: [
      smallPolicy,
      "It is under GRPO, where the paper has PPO.",
      "The policy before training is cloned from demonstrations of all three; the paper's is a language model.",
      "Quests have three and four steps; a policy of this size does not learn the paper's of eight.",
    ],
    recorded: ["transfer/textworld", "transfer/sokoban"],
  }),
  item("transfer-tasks", "Tables 7 and 8: transfer between types of task", {
    presets: ["transfer-alfworld"],
    result: { kind: "transfer" },
    differs: [
      smallPolicy,
      "It is under GRPO, where the paper has PPO.",
      "The rooms are small, with four types of task.",
    ],
    recorded: ["transfer/alfworld"],
  }),
  item("mixtures", "Tables 5 to 9: mixed complexity, and a curriculum", {
    presets: ["curriculum-sokoban"],
    result: { kind: "transfer" },
    differs: [
      smallPolicy,
      "It is SAMPO on Sokoban with one box and with two, where the paper has PPO on TextWorld and ALFWorld.",
      "The curriculum is ours; the paper has none.",
    ],
    recorded: ["transfer/curriculum"],
  }),
  item("density", "Reward density: sparse, balanced and dense", {
    presets: ["reward-density-textworld"],
    result: successBy("none", "Success by density of the reward.", "density"),
    differs: [smallPolicy],
  }),
  item("algorithms", "Algorithms: PPO, GRPO, RLOO and REINFORCE++", {
    presets: ["paper-algorithms-textworld"],
    result: successBy("none", "Success by algorithm and complexity.", "algorithms"),
    differs: [smallPolicy, "The harder quest has six steps instead of eight."],
  }),
  item("sft-rl", "SFT : RL, one budget for demonstrations and reinforcement learning", {
    presets: ["sft-rl-split"],
    result: successBy("none", "Success by the share of the budget that goes to demonstrations.", "sft-rl"),
    differs: [smallPolicy, "It is on Sokoban, with 8,000 episodes' worth of budget, and not on TextWorld with 1,000."],
  }),
  item("prior", "SFT: a prior of another domain", {
    presets: ["prior-textworld"],
    result: successBy("none", "Success after demonstrations of the own and of another domain.", "prior"),
    differs: [
      smallPolicy,
      "It is under GRPO, where the paper has PPO.",
      "The other domain is cooking games of TextWorld; after them small policies solve no quest, so that nothing is left to collapse.",
    ],
  }),
];
