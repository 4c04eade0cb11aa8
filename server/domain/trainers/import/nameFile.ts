export const resumedWords = "resumed?|restart(?:ed)?|continu(?:ed|e|ation)|cont|part|attempt|retry|first|second";

const evaluation = "eval|evaluation|val|valid|validation|test";
const logWords = `events|metrics|history|log|logs|logging|output|stdout|stderr|console|main|main_ppo|train|train_log|training|trainer|orchestrator|rank_?0|progress|result|${evaluation}`;
const generic = [
  /^trainer_state\.json(\.gz)?$/,
  /^events\.out\.tfevents\./,
  new RegExp(
    `^(${logWords})([-_. ]?(${resumedWords})[-_. ]?\\d*)?\\.(jsonl?|ndjson|log|txt|csv|tsv|out)(\\.\\d+)?(\\.gz)?$`,
    "i",
  ),
  /^(\d+\.)?monitor\.csv$/,
  /^run-\w+\.wandb$/,
  // Files with rollouts, each of one step: verl's, TRL's, and those of prime-rl and tinker-cookbook.
  /^\d+\.jsonl$/,
  /^completions_\d+\.parquet$/,
  /^(\w+_)?rollout(s|_summaries)\.jsonl$/,
];
/** Folders within a run's folder: checkpoints of Transformers and verl, attempts, and folders of trackers. */
const within = [
  /^checkpoint-\d+$/,
  /^(global_)?step_\d+$/,
  /^iteration_\d+$/,
  /^\d+$/,
  /^(logs|log|files|tensorboard|tb|wandb|output|outputs|rollouts|completions|rollout_data|dvclive|train|training|trainer)$/i,
  new RegExp(`^(${evaluation})$`, "i"),
];
const evaluationPart = new RegExp(`(^|[\\\\/_.-])(${evaluation})([-_.][^\\\\/]*|[\\\\/][^\\\\/]+)$`, "i");
const partWord = `train|training|${evaluation}`;
const partMark = new RegExp(
  `[-_.](?:${partWord})(?=(?:\\.[A-Za-z]\\w*)+$)|(?<=^|[\\\\/])(?:${partWord})[-_](?=[^\\\\/]+$)`,
  "i",
);

/** Returns a path without a word for training or evaluation and without endings: `grpo_s0_eval.csv` is `grpo_s0`. */
export function withoutPart(path: string): string {
  return path.replace(partMark, "").replace(/(\.[A-Za-z]\w*)+$/, "");
}

/** True for a file of evaluations by its name or folder, which may lie beside that of the training. */
export function isOfEvaluation(path: string): boolean {
  return evaluationPart.test(path);
}

const ofMetric = [
  // MLflow's file store, DVCLive, and TorchRL's CSV logger.
  /^(.*[0-9a-f]{32})[\\/]metrics[\\/](.+)$/,
  /^(.*)[\\/]plots[\\/]metrics[\\/](.+)\.tsv$/,
  /^(.*)[\\/]scalars[\\/](.+)\.csv$/,
  // Charts downloaded from TensorBoard.
  /^((?:.*[\\/])?)run-([^\\/]+)-tag-(.+)\.csv$/,
];

/** Returns the folder of the run and the name of the metric, for a file with the values of one metric. */
export function findMetric(path: string): { folder: string; metric: string } | undefined {
  for (const pattern of ofMetric) {
    const parts = pattern.exec(path)?.slice(1);
    const metric = parts?.pop()?.replaceAll("\\", "/");
    if (parts && metric !== undefined) return { folder: parts.join(""), metric };
  }
  return undefined;
}

/**
 * Names a run by the path of its file. A file with a generic name is named after the folder above it. All files in such
 * a folder (`folder`) belong to one run: they are snapshots of its state or parts of its log. Without a folder, the
 * file's own name is used.
 */
export function nameFile(path: string): { name: string; folder: string | undefined } {
  const one = findMetric(path);
  if (one) return nameFile(`${one.folder}/metrics.csv`);
  const parts = partsOf(path);
  const file = parts.at(-1) ?? path;
  if (!generic.some((pattern) => pattern.test(file))) return { name: file, folder: undefined };
  const folders = parts.slice(0, -1);
  while (within.some((pattern) => pattern.test(folders.at(-1) ?? ""))) folders.pop();
  const name = folders.at(-1);
  return name === undefined ? { name: file, folder: undefined } : { name, folder: folders.join("/") };
}

export function partsOf(path: string): string[] {
  return path.split(/[\\/]+/).filter((part) => part !== "" && part !== "." && part !== "..");
}

export function parentOf(path: string): string {
  return path.replaceAll("\\", "/").replace(/[^/]*$/, "");
}

/** Returns the path of the innermost folder (or file) whose name is a short number, within the folder of the run. */
export function findNumbered(path: string): string | undefined {
  const { folder } = nameFile(path);
  if (folder === undefined) return undefined;
  const parts = partsOf(path.replace(/\.jsonl$/, ""));
  const at = parts.findLastIndex((part) => /^\d{1,4}$/.test(part));
  return at < folder.split("/").length ? undefined : parts.slice(0, at + 1).join("/");
}

/** Returns true if a file name is usual for a run's settings, which may lie beside its log. */
export function isSettingsFile(path: string): boolean {
  return (
    /(^|[\\/])((overrides|hparams|config|params)\.ya?ml|(args|config|params|hparams)\.json)$/.test(path) ||
    findMlflowSetting(path) !== undefined
  );
}

/** Returns the name of a setting that MLflow's file store keeps in a file of its own. */
export function findMlflowSetting(path: string): string | undefined {
  return /[0-9a-f]{32}[\\/](?:params[\\/](.+)|tags[\\/](mlflow\.runName))$/.exec(path)?.slice(1).find(Boolean);
}

const names = [
  /^trainer_state\.json(\.gz)?$/,
  /^(result|metrics|history|log_history)\.json$/,
  /^events\.out\.tfevents\./,
  /\.(jsonl|ndjson|log|txt|out|err|csv|tsv|wandb)(\.\d+)?(\.gz)?$/i,
  /^completions_\d+\.parquet$/,
];

/** Returns true if a file name is usual for logs, or for settings beside them. Other files, such as checkpoints, are not opened. */
export function couldBeLog(path: string): boolean {
  const fileName = partsOf(path).at(-1) ?? path;
  return isSettingsFile(path) || findMetric(path) !== undefined || names.some((name) => name.test(fileName));
}
