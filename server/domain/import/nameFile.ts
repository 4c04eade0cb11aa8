/** Words in the names of logs of a run that was resumed. */
export const resumedWords = "resumed?|restart(?:ed)?|continu(?:ed|e|ation)|cont|part|attempt|retry|first|second";

const logWords = "events|metrics|history|log|logs|logging|output|stdout|stderr|train|train_log|progress|result";
/** Names that programs give their files: they say nothing of the run. */
const generic = [
  /^trainer_state\.json(\.gz)?$/,
  /^events\.out\.tfevents\./,
  new RegExp(
    `^(${logWords})([-_. ]?(${resumedWords})[-_. ]?\\d*)?\\.(jsonl?|ndjson|log|txt|csv|out)(\\.\\d+)?(\\.gz)?$`,
    "i",
  ),
  /^run-\w+\.wandb$/,
  // verl's rollouts of one step.
  /^\d+\.jsonl$/,
];
/** Folders within a run's own: checkpoints of the Transformers trainer and of verl, attempts, a tracker's own levels. */
const within = [
  /^checkpoint-\d+$/,
  /^global_step_\d+$/,
  /^\d+$/,
  /^(logs|log|files|tensorboard|tb|wandb|output|outputs|rollouts|rollout_data)$/i,
];

/**
 * What a file's path says of its run. A file whose name says nothing is called after the folder above that does, and
 * files of one such folder (`folder`) are files of one run: snapshots of its state, parts of its log. Where no folder is
 * known, the file's own name stands.
 */
export function nameFile(path: string): { name: string; folder: string | undefined } {
  const parts = path.split(/[\\/]+/).filter((part) => part !== "" && part !== "." && part !== "..");
  const file = parts.at(-1) ?? path;
  if (!generic.some((pattern) => pattern.test(file))) return { name: file, folder: undefined };
  const folders = parts.slice(0, -1);
  while (within.some((pattern) => pattern.test(folders.at(-1) ?? ""))) folders.pop();
  const name = folders.at(-1);
  return name === undefined ? { name: file, folder: undefined } : { name, folder: folders.join("/") };
}
