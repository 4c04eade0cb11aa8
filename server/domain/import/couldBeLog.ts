const names = [/^trainer_state\.json$/, /^events\.out\.tfevents\./, /\.(jsonl|log|txt|out|csv|wandb)$/i];

/** Whether a file of a folder has a name that logs have; others, a checkpoint for one, are not even opened. */
export function couldBeLog(fileName: string): boolean {
  return names.some((name) => name.test(fileName));
}
