/** Column names that contain environment steps, most reliable name first. */
export const timestepColumns = [
  "time/total_timesteps",
  "timesteps_total",
  "num_env_steps_sampled_lifetime",
  "misc/total_timesteps",
  "total_timesteps",
  "timestepssofar",
  "timesteps",
];

/** Column names that contain the step of a table row, most reliable name first: iterations before environment steps. */
export const stepColumns = [
  "step",
  "_step",
  "global_step",
  "trainer/global_step",
  "train/global_step",
  "training/global_step",
  "global_step/max_steps",
  "iteration",
  "training_iteration",
  "time/iterations",
  "misc/nupdates",
  "nupdates",
  "iterations",
  "update",
  "updates",
  ...timestepColumns,
  "steps",
  "epoch",
];

export function find(names: readonly string[], known: readonly string[]): number {
  const lower = names.map((name) => name.toLowerCase());
  for (const one of known) {
    const at = lower.indexOf(one);
    if (at !== -1) return at;
  }
  return -1;
}
