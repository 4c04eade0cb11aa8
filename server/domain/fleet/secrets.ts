import { isSecretName } from "#trainer/spec/secretName.ts";

type Variables = Readonly<Record<string, string>>;

/** Stands in every output in place of a secret's value. */
export const hidden = "***";

/** Variables that may be written down, and those that may not. */
export function splitSecrets(variables: Variables): { plain: Record<string, string>; secret: Record<string, string> } {
  const entries = Object.entries(variables);
  return {
    plain: Object.fromEntries(entries.filter(([name]) => !isSecretName(name))),
    secret: Object.fromEntries(entries.filter(([name]) => isSecretName(name))),
  };
}

/** Shorter values stand in ordinary text by chance. */
const shortest = 6;

/** A text without the values, each of which may stand in it anywhere. */
export function hideValues(text: string, values: readonly string[]): string {
  return longestFirst(values).reduce((shown, value) => shown.replaceAll(value, hidden), text);
}

export function longestFirst(values: readonly string[]): string[] {
  return values.filter((value) => value.length >= shortest).toSorted((a, b) => b.length - a.length);
}

const secretArgument =
  /^([-+~]*(?:[\w.]*[._-])?(?:api[_-]?key|(?:hub|hf|access|auth)[_-]token|password|secret))=(.+)$/is;

/** An argument as it may be shown: `--hub_token=…` and `trainer.wandb_api_key=…` without their values. */
export function hideArgument(argument: string): string {
  return argument.replace(secretArgument, `$1=${hidden}`);
}
