import type { RunSpec } from "#trainer/spec/run.ts";
import { advantageTraits } from "#trainer/spec/traits.ts";
import type { Remark } from "../handling.ts";
import type { Recipe } from "./recipes.ts";
import type { VerlSettings } from "./run.ts";

/** Rows of the dataset (geometry3k) that the published `prepare` copies; agents use only their number. */
const available = { train: 2101, test: 601 };

/** Overrides for training rows per batch and evaluation tasks, and the published step that writes the files. */
export function agentData(
  spec: RunSpec,
  settings: VerlSettings,
  recipe: Recipe,
): { overrides: string[]; prepare?: string[]; notes: Remark[]; problems: Remark[] } {
  const { rollout, evaluation, method } = spec;
  // Without groups every episode is its own prompt.
  const { hasCritic } = advantageTraits[method.advantage.kind];
  const numRows = hasCritic ? rollout.numGroups * rollout.groupSize : rollout.numGroups;
  const files = filesOf({ train: numRows, test: evaluation.numEpisodes }, settings, recipe);
  return {
    ...files,
    overrides: [
      `data.train_files=${files.folder}/train.parquet`,
      `data.val_files=${files.folder}/test.parquet`,
      `data.train_batch_size=${numRows}`,
      `data.val_batch_size=${evaluation.numEpisodes}`,
      `data.max_prompt_length=${recipe.promptTokens}`,
      `data.max_response_length=${rollout.maxResponseTokens}`,
      "data.filter_overlong_prompts=True",
      `data.truncation=${recipe.truncation}`,
      "data.return_raw_chat=True",
    ],
  };
}

type Rows = { train: number; test: number };
type Files = { folder: string; prepare?: string[]; notes: Remark[]; problems: Remark[] };

function filesOf(rows: Rows, settings: VerlSettings, recipe: Recipe): Files {
  const { dataFolder, folder } = settings;
  if (recipe.envName === "search") return searchFiles(dataFolder);
  const prepare = (into: string): string[] => [
    "examples.data_preprocess.prepare",
    `--mode=${recipe.mode}`,
    `--local_dir=${into}`,
    `--train_data_size=${rows.train}`,
    `--val_data_size=${rows.test}`,
  ];
  if (dataFolder === undefined) {
    return {
      folder: `${folder}/data/${recipe.mode}`,
      prepare: prepare(`${folder}/data`),
      notes: [],
      problems: [
        ...tooMany("rollout.numGroups", rows.train, available.train),
        ...tooMany("evaluation.numEpisodes", rows.test, available.test),
      ],
    };
  }
  const message = `train.parquet in ${dataFolder}/${recipe.mode} needs at least ${rows.train} rows and test.parquet exactly ${rows.test}, as \`python3 -m ${prepare(dataFolder).join(" ")}\` writes them; without dataFolder in the template each attempt writes its own`;
  return { folder: `${dataFolder}/${recipe.mode}`, notes: [{ path: "evaluation.numEpisodes", message }], problems: [] };
}

/** Questions of the search recipe. Every row has one, so no other dataset can replace it. */
function searchFiles(dataFolder: string | undefined): Files {
  if (dataFolder !== undefined) return { folder: dataFolder, notes: [], problems: [] };
  const message =
    "the search recipe needs questions: run `python3 -m examples.data_preprocess.preprocess_search_r1_dataset` once and name its folder as dataFolder in the template";
  return { folder: "", notes: [], problems: [{ path: "trainer.name", message }] };
}

function tooMany(path: string, count: number, limit: number): Remark[] {
  if (count <= limit) return [];
  const message = `${count} is refused: the published prepare step copies ${limit} rows at most; name a dataFolder with more in the template`;
  return [{ path, message }];
}
