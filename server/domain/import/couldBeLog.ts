const names = [
  /^trainer_state\.json(\.gz)?$/,
  /^(result|metrics|history|log_history)\.json$/,
  /^events\.out\.tfevents\./,
  /\.(jsonl|ndjson|log|txt|out|err|csv|tsv|wandb)(\.\d+)?(\.gz)?$/i,
];

/** Whether a file of a folder has a name that logs have; others, a checkpoint for one, are not even opened. */
export function couldBeLog(fileName: string): boolean {
  return names.some((name) => name.test(fileName));
}
