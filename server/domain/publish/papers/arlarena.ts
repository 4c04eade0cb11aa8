import { strata } from "#trainer/spec/metrics/parts.ts";
import type { ReferenceRow, TableColumn, TableOptions, TableWording } from "../tables/builder/options.ts";
import type { PaperFigure, PaperFlow, PaperItem, PaperTable, Recipe } from "./paper.ts";

const paper = "2602.21534";
const success = "evaluation/successRate";
const native = "evaluation/score";
const episodeReward = "evaluation/returnMean";

const column = (environment: string, metric: string, header: string): TableColumn => ({ environment, metric, header });
/** Makes a column that a row's average over columns includes; a mean of rewards and percentages would have no unit. */
const averagedColumn = (environment: string): TableColumn => ({
  ...column(environment, success, "Succ."),
  averaged: true,
});

const numberless = { test: "none", collapse: "marks", group: "paper" } as const satisfies TableOptions;

function referenceRows(source: string, rows: Readonly<Record<string, readonly (number | null)[]>>): ReferenceRow[] {
  return Object.entries(rows).map(([method, values]) => ({ method, source, values: [...values] }));
}

const table3: PaperTable = {
  kind: "table",
  options: {
    ...numberless,
    columns: [
      column("ALFWorld", episodeReward, "Score"),
      averagedColumn("ALFWorld"),
      column("WebShop", native, "Score"),
      averagedColumn("WebShop"),
      column("Sokoban", episodeReward, "Score"),
      averagedColumn("Sokoban"),
    ],
    average: true,
    averageOf: "present",
    change: "relative",
  },
  wording: {
    caption: "Ten methods on three environments.",
    label: "table3",
    changeIn: "cell",
    ours: "SAMPO",
    references: referenceRows("arXiv 2602.21534, Table 3, Qwen3-4B", {
      GRPO: [3.7, 62.36, 75.32, 57.71, 5.51, 83.9],
      GRPO_ST: [4.41, 72.61, 64.57, 51.29, 3.03, 68.73],
      SAPO: [0.8, 25.16, 73.85, 52.1, -0.23, 30.25],
      CISPO: [2.16, 54.42, 67.96, 54.71, -0.47, 26.02],
      GSPO: [5.19, 78.61, 85.29, 72.48, 5.22, 82.22],
      GiGPO: [4.97, 81.09, 67.76, 56.55, 5.19, 82.67],
      EMPG: [3.32, 57.91, 79.16, 64.32, 4.48, 79.16],
      DAPO_GRPO: [1.95, 49.58, 62.43, 46.17, 5.16, 82.4],
      DAPO_GiGPO: [2.49, 60.55, 88.1, 76.82, 6.01, 86.2],
      SAMPO: [7.04, 92.72, 88.37, 77.73, 6.56, 88.86],
    }),
  },
};

const subTasks = { pick: "Pick", look: "Look", clean: "Clean", heat: "Heat", cool: "Cool", pick2: "Pick2" };

const tableS3: PaperTable = {
  kind: "table",
  options: {
    ...numberless,
    columns: [
      ...Object.entries(subTasks).map(([type, header]) => column("ALFWorld", `taskSuccess/${type}`, header)),
      column("ALFWorld", success, "All"),
      column("WebShop", native, "Score"),
      column("WebShop", success, "Succ."),
    ],
  },
  wording: {
    caption: "Success by type of task on ALFWorld, score and success on WebShop.",
    label: "tableS3",
    ours: "SAMPO",
    references: [
      ...referenceRows("Prompted models, arXiv 2602.21534, Table S3", {
        "GPT-4o": [61.11, 33.33, 36.36, 50, 45.45, 63.64, 50, 13.6, 12.5],
        "GPT-5.2": [70.03, 66.07, 35.37, 62.3, 52.08, 37.36, 51.56, 26.56, 26.56],
        "Debate (o3)": [67.74, 64.28, 33.33, 60, 52.38, 65, 56.25, 22.65, 34.65],
        "Aggressive debate": [null, null, null, null, null, null, null, 28.51, 61.53],
        "Gemini-2.5-pro": [84.97, 61.61, 63.94, 22.22, 62.5, 75.25, 66.41, null, null],
      }),
      ...referenceRows("arXiv 2602.21534, Table S3, Qwen3-4B", {
        GRPO: [87.41, 62.65, 46.42, 72.28, 58.89, 38.37, 72.61, 75.32, 57.71],
        SAPO: [34.49, 32.19, 24.13, 24.92, 16.21, 9.37, 25.16, 73.85, 52.1],
        CISPO: [76.03, 37.12, 58.56, 50.97, 57.88, 23.68, 54.42, 67.96, 54.71],
        GSPO: [90.36, 79.31, 90.71, 75.45, 77.95, 48.95, 78.61, 85.29, 72.48],
        GiGPO: [94.8, 83.03, 86.37, 81.15, 75.38, 59.21, 81.09, 67.76, 56.55],
        EMPG: [84.18, 61.53, 69.83, 72.49, 46.51, 0.04, 57.91, 79.16, 64.32],
        DAPO_GRPO: [81.28, 37.57, 53.97, 40.16, 51.28, 6.43, 49.58, 62.43, 46.17],
        DAPO_GiGPO: [85.04, 55.26, 65.35, 58.98, 56.52, 26.57, 60.55, 88.1, 76.82],
        SAMPO: [96.3, 88.49, 93.65, 92.42, 92.7, 88.35, 92.72, 88.04, 74.08],
      }),
    ],
  },
};

const tableS2: PaperTable = {
  kind: "table",
  options: {
    ...numberless,
    columns: [column("ALFWorld", episodeReward, "Score"), column("ALFWorld", success, "Succ.")],
  },
  wording: {
    caption: "Ten methods on ALFWorld with a larger policy.",
    label: "tableS2",
    ours: "SAMPO",
    references: referenceRows("arXiv 2602.21534, Table S2, Qwen3-8B", {
      GRPO: [2.37, 50.92],
      GRPO_ST: [1.68, 49.31],
      SAPO: [0.08, 1.93],
      CISPO: [0.8, 30.83],
      GSPO: [5.05, 79.7],
      GiGPO: [4.1, 80.03],
      EMPG: [4.51, 71.48],
      DAPO_GRPO: [0.81, 38.11],
      DAPO_GiGPO: [2.49, 60.27],
      SAMPO: [8.98, 97.71],
    }),
  },
};

const rewardAndSuccess = (environment: string) => [
  column(environment, episodeReward, "Score"),
  column(environment, success, "Succ."),
];

/** Makes a table with one row per setting. */
const byVariant = (environment: string, wording: TableWording): PaperTable => ({
  kind: "table",
  options: { columns: rewardAndSuccess(environment), test: "none", collapse: "column", group: "none" },
  wording,
});

/** Makes a table whose rows are grouped by the setting `group`. */
const staleness = (environment: string, group: string, caption: string): PaperTable => ({
  kind: "table",
  options: { columns: rewardAndSuccess(environment), test: "none", group },
  wording: { caption, label: "table5" },
});

const gains = "The paper lists the gain of each change. Here, each row shows the success rate itself.";
const onSokoban =
  "The experiment runs on Sokoban instead of ALFWorld, because methods differ there after the fewest iterations.";
const smallPolicy = "A transformer with 0.1 M parameters, cloned from imperfect demonstrations, replaces Qwen3-4B.";
const smallWorlds =
  "The environments are small versions of Sokoban, WebShop and ALFWorld, whose rules reproduce transcripts of the originals. Budgets are 24 to 48 iterations.";
const oneBudget =
  "All methods have the same learning rate and minibatch size in an environment, as in the paper (Table S1), which tunes settings of single methods only. So does the option --search: clip ranges, gate temperatures and generation tries. The paper publishes no settings to search for GRPO, CISPO, GiGPO and EMPG.";

const methodDefinitions: Recipe = {
  presets: [],
  result: { kind: "definition", of: "methods" },
  differs: [
    "Choices have the names of the New sweep page, with their numbers. The paper prints formulas.",
    "GSPO averages the loss per turn first, as the released code does. The paper prints a mean over tokens.",
    "Rows of DAPO_GiGPO and SAMPO, which the paper defines in its text, are added.",
  ],
};
const klByStratum = strata.map((stratum) => `strataKl/${stratum}`);
const noStrata = {
  missing: "ARLArena does not log the fraction of tokens in each stratum; import its rollout dumps instead",
};
const entropyMedian =
  "Strata are of tokens, by sign of the advantage, ratio and entropy; the paper's are of turns. It does not state its entropy threshold; here it is the iteration's median.";
const asHere = "Empty cells: the paper has no value, or the preset no such setting or method.";
/** Recorded runs of the methods of Table 3, among them SAPO and CISPO, and of both with a mask. */
const recordedClipping = ["table3-sokoban", "papers/clipping-masked"];
const besideTable3 =
  "Recorded curves of the methods without a mask are those of Table 3; a study of its own has those with a mask.";
const table4: TableWording = {
  caption: "SAPO and CISPO with changes that may prevent their collapse.",
  label: "table4",
};
const sokobanTable4 = byVariant("Sokoban", table4);
/** Methods of Table 3's recorded runs that Table 4 does not have. */
const otherMethods = ["GRPO", "GRPO_ST", "GSPO", "GiGPO", "EMPG", "DAPO_GRPO", "DAPO_GiGPO", "SAMPO"];
const figure3: PaperFigure = {
  kind: "figure",
  metrics: [success, "policy/klReference", "policy/klOld", "update/gradientNorm", "rollout/validFormatRate"],
  methods: ["GRPO", "GSPO", "SAPO", "SAPO_SM", "CISPO", "CISPO_SM"],
};
const figureS7: PaperFigure = {
  kind: "figure",
  metrics: ["rollout/validFormatRate"],
  methods: ["GRPO", "GiGPO", "DAPO_GRPO", "DAPO_GiGPO"],
};

const [before, after] = ["Before training", "After training"] as const;

/** Makes a figure of the flow of actions (Appendix F), recorded in a small study of GRPO and, in WebShop, SAMPO. */
function flowItem(id: string, title: string, flow: Omit<PaperFlow, "kind" | "by">): PaperItem {
  const { environment } = flow;
  return {
    id,
    paper,
    title,
    scales: {
      embedded: {
        presets: [`paper-table3-${environment}`],
        result: { kind: "flow", by: "training", ...flow },
        differs: [
          smallPolicy,
          "The environments are small versions, and the recorded runs are shorter and of fewer methods than the preset's.",
          "Actions are counted by their type, so that tasks can be joined.",
          ...(flow.group === before ? ["The paper's agent before training is GPT-4o, prompted."] : []),
        ],
        recorded: [`behaviour/${environment}`],
      },
      llm: { missing: "the trainers of language models do not log each episode's actions" },
    },
  };
}

export const arlarena: readonly PaperItem[] = [
  {
    id: "table1",
    paper,
    title: "Table 1: methods in the four dimensions",
    scales: { embedded: methodDefinitions, llm: methodDefinitions },
  },
  {
    id: "table2",
    paper,
    title: "Table 2: effect of single changes on ALFWorld",
    scales: {
      embedded: {
        presets: ["paper-table2-sokoban"],
        result: byVariant("Sokoban", { caption: "Effect of single changes.", label: "table2" }),
        differs: [
          smallPolicy,
          onSokoban,
          gains,
          "The changes to GRPO are cumulative. Policies trained from random weights rarely succeed.",
          "Recorded in part: on three of the five seeds.",
        ],
        recorded: ["table3-sokoban", "papers/table2-sokoban"],
      },
      llm: {
        presets: ["arlarena-table2"],
        result: byVariant("ALFWorld", { caption: "Effect of single changes on ALFWorld.", label: "table2" }),
        differs: [
          gains,
          "Behaviour cloning is not compared: runs start from the model in the template, and the published model is already trained by behaviour cloning.",
        ],
      },
    },
  },
  {
    id: "table3",
    paper,
    title: "Table 3: ten methods on ALFWorld, WebShop and Sokoban",
    scales: {
      embedded: {
        presets: ["paper-table3-sokoban", "paper-table3-webshop", "paper-table3-alfworld"],
        result: table3,
        differs: [
          smallPolicy,
          smallWorlds,
          oneBudget,
          "Evaluations sample at temperature 1, as training does; the paper evaluates with nucleus sampling at temperature 0.6 or 0.7.",
          "AIME is not included: the preset tir-math trains tool-integrated mathematics.",
          "The average covers success only; the paper averages scores and success together.",
          "GSPO has the same clip range in all environments. The paper's clip range is ten times wider on WebShop.",
        ],
        recorded: ["table3-sokoban", "table3-webshop", "table3-alfworld"],
      },
      llm: {
        presets: ["arlarena-alfworld", "arlarena-webshop"],
        result: table3,
        differs: [
          "Methods and settings are those of the released scripts, several of which differ from the paper's tables.",
        ],
      },
    },
  },
  {
    id: "table4",
    paper,
    title: "Table 4: changes that keep SAPO and CISPO from collapsing",
    scales: {
      embedded: {
        presets: ["paper-table4-sokoban"],
        result: { ...sokobanTable4, options: { ...sokobanTable4.options, without: otherMethods } },
        differs: [
          smallPolicy,
          "The experiment runs on Sokoban instead of ALFWorld, because both methods collapse on the studio's Sokoban.",
          "The rescue study (docs/rescue.md) is a study of its own: it changes runs that have collapsed, most of them of a stale fp8 sampler, and does not repeat this table.",
        ],
        recorded: [...recordedClipping, "papers/table4-changes"],
      },
      llm: {
        presets: ["arlarena-table4"],
        result: byVariant("ALFWorld", table4),
        differs: ["SAPO's gate temperatures are 1 and 1.05, as in Table S1. The released script has 2 and 2.1."],
      },
    },
  },
  {
    id: "table5",
    paper,
    title: "Table 5: staleness",
    scales: {
      embedded: {
        presets: ["staleness-sokoban"],
        result: staleness(
          "Sokoban",
          "update.minibatchRows",
          "Success with one, two and four times as many minibatches per iteration.",
        ),
        differs: [
          smallPolicy,
          "The experiment runs on Sokoban and compares five methods instead of one. Smaller minibatches raise staleness, while the paper raises it by more groups.",
          "The recorded runs are of GRPO alone, the paper's method.",
        ],
        recorded: ["papers/staleness"],
      },
      llm: {
        presets: ["arlarena-table5"],
        result: staleness("ALFWorld", "rollout.numGroups", "GRPO with increasing numbers of groups per iteration."),
        differs: [
          "AIME is not included. Iterations have the paper's 8, 16 or 32 groups; the released scripts have 4, 16 and 32.",
        ],
      },
    },
  },
  {
    id: "tableS1",
    paper,
    title: "Table S1: settings of the runs beside the published ones",
    scales: {
      embedded: {
        presets: ["paper-table3-alfworld", "paper-table3-webshop", "paper-table3-sokoban", "tir-math"],
        result: { kind: "definition", of: "settings" },
        differs: [smallPolicy, smallWorlds, asHere, "The paper's rows on its rollout engine and GPUs are left out."],
      },
      llm: {
        presets: ["arlarena-alfworld", "arlarena-webshop", "arlarena-sokoban", "arlarena-math"],
        result: { kind: "definition", of: "settings" },
        differs: [
          "Settings are those of the released scripts, several of which differ from the paper's tables.",
          "The trainer's template names the model.",
          asHere,
        ],
      },
    },
  },
  {
    id: "tableS2",
    paper,
    title: "Table S2: ten methods on ALFWorld with a larger policy",
    scales: {
      embedded: {
        presets: ["paper-table-s2-alfworld"],
        result: tableS2,
        differs: [
          "A transformer with 0.8 M parameters, cloned from imperfect demonstrations, replaces Qwen3-8B.",
          smallWorlds,
        ],
        unrecorded: "an estimated six hours of a quiet core",
      },
      llm: {
        presets: ["arlarena-table-s2"],
        result: tableS2,
        differs: [
          "Settings are those of Table S1. Entropy coefficient (0.001) and cold start of dynamic sampling (15 iterations), which it does not state, are those of the released code. The paper's 8 B model, trained by behaviour cloning, is not published: the preset names the base model.",
        ],
      },
    },
  },
  {
    id: "tableS3",
    paper,
    title: "Table S3: ALFWorld by type of task, and WebShop",
    scales: {
      embedded: {
        presets: ["paper-table3-webshop", "paper-table3-alfworld"],
        result: tableS3,
        differs: [smallPolicy, smallWorlds, oneBudget],
        recorded: ["table3-webshop", "table3-alfworld"],
      },
      llm: { presets: ["arlarena-alfworld", "arlarena-webshop"], result: tableS3, differs: [] },
    },
  },
  {
    id: "figure2",
    paper,
    title: "Figure 2: success over training on ALFWorld and Sokoban",
    scales: {
      embedded: {
        presets: ["paper-table3-alfworld", "paper-table3-sokoban"],
        result: { kind: "figure", metrics: [success] },
        differs: [
          smallPolicy,
          smallWorlds,
          "Curves of GRPO_ST and of both variants of DAPO are shown beside the paper's.",
        ],
        recorded: ["table3-alfworld", "table3-sokoban"],
      },
      llm: {
        presets: ["arlarena-alfworld", "arlarena-sokoban"],
        result: { kind: "figure", metrics: [success] },
        differs: ["The released script for Sokoban is of GiGPO; GRPO has its settings."],
      },
    },
  },
  {
    id: "figure3",
    paper,
    title: "Figure 3: success, KL, gradient norm and valid format over training",
    scales: {
      embedded: {
        presets: ["paper-clipping-sokoban"],
        result: figure3,
        differs: [smallPolicy, onSokoban, besideTable3],
        recorded: recordedClipping,
      },
      llm: { presets: ["arlarena-alfworld"], result: figure3, differs: [] },
    },
  },
  {
    id: "figure4",
    paper,
    title: "Figure 4: SAPO without and with mask, tokens outside the clip range and KL by stratum",
    scales: {
      embedded: {
        presets: ["paper-clipping-sokoban"],
        result: {
          kind: "figure",
          metrics: [
            "policy/clipFractionLow",
            "policy/clipFractionHigh",
            ...strata.flatMap((stratum) =>
              /^(negativeBelow|positiveAbove)/.test(stratum) ? [`strataOutOfRange/${stratum}`] : [],
            ),
            ...klByStratum,
          ],
          methods: ["SAPO", "SAPO_SM"],
        },
        differs: [smallPolicy, onSokoban, entropyMedian, besideTable3],
        recorded: recordedClipping,
      },
      llm: noStrata,
    },
  },
  {
    id: "figureS1",
    paper,
    title: "Figure S1: CISPO without and with mask, KL by stratum",
    scales: {
      embedded: {
        presets: ["paper-clipping-sokoban"],
        result: { kind: "figure", metrics: klByStratum, methods: ["CISPO", "CISPO_SM"] },
        differs: [smallPolicy, onSokoban, entropyMedian, besideTable3],
        recorded: recordedClipping,
      },
      llm: noStrata,
    },
  },
  flowItem("figureS2", "Figure S2: actions before training, WebShop", { environment: "webshop", group: before }),
  flowItem("figureS3", "Figure S3: actions in failed episodes before training, WebShop", {
    environment: "webshop",
    group: before,
    only: "failure",
  }),
  flowItem("figureS4", "Figure S4: actions after training, WebShop", { environment: "webshop", group: after }),
  flowItem("figureS5", "Figure S5: actions in failed episodes after training, WebShop", {
    environment: "webshop",
    group: after,
    only: "failure",
  }),
  flowItem("figureS6", "Figure S6: actions in failed episodes before training, ALFWorld", {
    environment: "alfworld",
    group: before,
    only: "failure",
  }),
  {
    id: "figureS7",
    paper,
    title: "Figure S7: valid format with and without dynamic sampling, on ALFWorld and WebShop",
    scales: {
      embedded: {
        presets: ["paper-table3-alfworld", "paper-table3-webshop"],
        result: figureS7,
        differs: [smallPolicy, smallWorlds],
        recorded: ["table3-alfworld", "table3-webshop"],
      },
      llm: {
        presets: ["arlarena-alfworld", "arlarena-webshop"],
        result: figureS7,
        differs: ["The presets do not train DAPO_GiGPO."],
      },
    },
  },
];
