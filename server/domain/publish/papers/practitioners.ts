import type { PaperAnswer, PaperFigure, PaperItem, PaperTable, Recipe } from "./paper.ts";

const paper = "2510.01132";

const successBy = (group: string, caption: string, label: string): PaperTable => ({
  kind: "table",
  options: { metrics: ["evaluation/successRate"], test: "none", collapse: "none", group },
  wording: { caption, label },
});
const bySplit = successBy("none", "Success by the share of the budget spent on demonstrations.", "sft-rl");

const transfer: PaperAnswer = { kind: "answer", question: "transfer" };
const trainingReward: PaperFigure = { kind: "figure", metrics: ["rollout/returnMean"] };

const smallPolicy = "A transformer with 0.1 M parameters, cloned from imperfect demonstrations, replaces Qwen2.5.";
const replacesQwen3 = smallPolicy.replace("Qwen2.5", "Qwen3-8B");
const withGrpo = "The experiment trains with GRPO, the paper with PPO.";
const noTrainer = "the paper's trainer is a fork of verl for which the studio has no template";

const bugs = "Bugs are one-line changes in generated repositories.";
const algorithmsDiffer = [smallPolicy, "The harder quest has six steps instead of eight."];
const curvesDiffer = [
  ...algorithmsDiffer,
  "The paper's policy has 1.5 B parameters in Figure 6 and 7 B in Figure 7; here it is the same in both.",
  "Curves of all four algorithms are shown, with the preset on both complexities. The paper shows PPO and RLOO on one of them.",
];

const tuningDiffers = [
  smallPolicy,
  "Learning rates are those that train a policy of this size: the actor's halved, and the critic's once instead of ten times the actor's.",
  "The KL term is in the loss; the paper subtracts it from the reward.",
  "The text of the paper names no γ below 1; here it is 0.95.",
];

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
    differs: [
      smallPolicy,
      withGrpo,
      "The paper grows rooms and objects four times, w2-o3-q4 to w8-o12-q4, with 12 turns. Here they are doubled, and quests are longer in two of the five.",
      "Recorded in part: the runs of the study of transfer grow rooms and objects together (w2-o3-q3, w4-o6-q4, w8-o12-q4, and their mixture), neither of them alone.",
    ],
    recorded: ["transfer/textworld"],
  }),
  item("transfer-swe-gym", "Table 6: transfer between complexities of SWE-Gym", {
    presets: ["transfer-swe-gym"],
    result: transfer,
    differs: [replacesQwen3, bugs, "Complexity means the number of functions and modules to search."],
    unrecorded: "an estimated 90 minutes of a quiet core",
  }),
  item("model-size", "Table 3: size of the model", {
    presets: ["model-size-textworld"],
    result: successBy("none", "Success by size of the policy and complexity.", "model-size"),
    differs: [
      "Transformers with 0.1 M and 0.8 M parameters, cloned from imperfect demonstrations, replace Qwen2.5 1.5B and 7B.",
      withGrpo,
      "Quests have three and four steps. The paper's quests have four and eight steps.",
    ],
    unrecorded: "not reached, cost not measured",
  }),
  item("horizon", "Table 4: turn limit of an episode, on TextWorld and SWE-Gym", {
    presets: ["horizon-textworld", "horizon-swe-gym"],
    result: successBy("none", "Success by maximum number of turns.", "horizon"),
    differs: [
      smallPolicy,
      withGrpo,
      bugs,
      "On SWE-Gym, episodes have 3 to 12 tool calls instead of 10 to 40, because a bug takes three.",
      "Recorded in part: on three of the five seeds of TextWorld.",
    ],
    recorded: ["papers/horizon-textworld", "papers/horizon-swe-gym"],
  }),
  item("transfer", "Table 5: transfer between complexities of TextWorld", {
    presets: ["transfer-textworld"],
    result: transfer,
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
    result: transfer,
    differs: [smallPolicy, withGrpo, "The rooms are small, with four types of task."],
    recorded: ["transfer/alfworld"],
  }),
  item("mixtures", "Mixtures, and a curriculum", {
    presets: ["curriculum-sokoban"],
    result: transfer,
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
    recorded: ["papers/density-textworld"],
  }),
  item("algorithms", "Table 10: PPO, GRPO, RLOO and REINFORCE++", {
    presets: ["paper-algorithms-textworld"],
    result: successBy("none", "Success by algorithm and complexity.", "algorithms"),
    differs: algorithmsDiffer,
    recorded: ["papers/algorithms-easy", "papers/algorithms-hard"],
  }),
  item("sft-rl", "Table 9: SFT : RL, one budget for demonstrations and reinforcement learning", {
    presets: ["sft-rl-split"],
    result: {
      ...bySplit,
      options: {
        ...bySplit.options,
        metrics: ["evaluation/successRate", "evaluation/elsewhere/two-boxes/successRate"],
      },
    },
    differs: [
      smallPolicy,
      "The experiment runs on Sokoban with a budget of 8,000 episodes, instead of TextWorld with 1,000. The second evaluation is with two boxes instead of one.",
      "Recorded in part: four of the six shares (0.25 to 1), on three of the five seeds.",
    ],
    recorded: ["papers/sft-rl"],
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
  item("complexity-swe-gym", "Table 2: base policy against GRPO by difficulty of SWE-Gym", {
    presets: ["complexity-swe-gym"],
    result: transfer,
    differs: [
      replacesQwen3,
      bugs,
      "The policy before training is cloned from demonstrations of all difficulties; the paper's is a language model.",
      "Difficulty is the number of functions of a module to search, or of modules with tests to pass; the paper counts lines of the patch and tests.",
      "One policy is trained on all difficulties mixed.",
    ],
    recorded: ["papers/complexity-swe-gym"],
  }),
  item("transfer-repos", "Table 8: training on one repository of SWE-Gym against five", {
    presets: ["transfer-repos-swe-gym"],
    result: transfer,
    differs: [
      replacesQwen3,
      bugs,
      "Both rows begin with one policy, cloned from demonstrations of all five repositories.",
    ],
    recorded: ["papers/transfer-repos"],
  }),
  item("reward-swe-gym", "Table 12: binary reward against the ratio of passed tests on SWE-Gym", {
    presets: ["reward-swe-gym"],
    result: { kind: "answer", question: "beforeAfter" },
    differs: [
      replacesQwen3,
      bugs,
      "A task has few tests, so the ratio has few values. Rewards by models that judge (CodeRM-8B, GPT-4.1) are left out.",
    ],
    recorded: ["papers/reward-swe-gym"],
  }),
  item("tuning", "Table 13: KL, temperature, learning rates and γ of PPO", {
    presets: ["paper-tuning-textworld"],
    result: successBy("none", "Success by one changed setting of PPO.", "tuning"),
    differs: tuningDiffers,
    recorded: ["papers/tuning"],
  }),
  item("tuning-curves", "Figure 2: success over training by KL, temperature, learning rates and γ of PPO", {
    presets: ["paper-tuning-textworld"],
    result: { kind: "figure", metrics: ["evaluation/successRate", "rollout/successRate"] },
    differs: tuningDiffers,
    recorded: ["papers/tuning"],
  }),
  item("reward-curves", "Figure 6: reward in training of PPO and RLOO, w2-o3-q4", {
    presets: ["paper-algorithms-textworld"],
    result: trainingReward,
    differs: curvesDiffer,
    recorded: ["papers/algorithms-easy"],
  }),
  item("reward-curves-hard", "Figure 7: reward in training of PPO and RLOO, the harder quest", {
    presets: ["paper-algorithms-textworld"],
    result: trainingReward,
    differs: curvesDiffer,
    recorded: ["papers/algorithms-hard"],
  }),
];
