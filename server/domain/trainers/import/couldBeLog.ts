const names = [
  /^trainer_state\.json(\.gz)?$/,
  /^(result|metrics|history|log_history)\.json$/,
  /^events\.out\.tfevents\./,
  /\.(jsonl|ndjson|log|txt|out|err|csv|tsv|wandb)(\.\d+)?(\.gz)?$/i,
];

/** True where a file name is usual for logs; other files, such as checkpoints, are not opened. */
export function couldBeLog(fileName: string): boolean {
  return names.some((name) => name.test(fileName));
}
