/** Names of the step column, most reliable first; W&B's histories use `_step`, ms-swift counts up to a total. */
const stepKeys = [
  "step",
  "iteration",
  "_step",
  "global_step",
  "global_step/max_steps",
  "training_iteration",
  "train/global_step",
  "trainer/global_step",
  "training/global_step",
  "Step",
  "Iteration",
] as const;

type Row = Readonly<Record<string, unknown>>;

/** Splits a row into step and other values. No step: no known name, or a value that is not a non-negative integer. */
export function splitStep(row: Row): { step: number | undefined; rest: Row } {
  const key = stepKeys.find((one) => row[one] !== undefined);
  if (key === undefined) return { step: undefined, rest: row };
  const { [key]: value, ...rest } = row;
  return { step: toStep(value), rest };
}

function toStep(value: unknown): number | undefined {
  const [, done] = typeof value === "string" ? (/^(\d+)\s*\/\s*\d+$/.exec(value) ?? []) : [];
  const step = done === undefined ? value : Number(done);
  return typeof step === "number" && Number.isSafeInteger(step) && step >= 0 ? step : undefined;
}
