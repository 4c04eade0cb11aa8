import { isSecretName } from "#trainer/spec/secretName.ts";

type Variables = Readonly<Record<string, string>>;

/** Text that replaces the value of a secret in every output. */
export const hidden = "***";

export function splitSecrets(variables: Variables): { plain: Record<string, string>; secret: Record<string, string> } {
  const entries = Object.entries(variables);
  return {
    plain: Object.fromEntries(entries.filter(([name]) => !isSecretName(name))),
    secret: Object.fromEntries(entries.filter(([name]) => isSecretName(name))),
  };
}

/** Minimum length of a secret value that is hidden in texts: shorter values occur in ordinary text by chance. */
const shortest = 6;

export function hideValues(text: string, values: readonly string[]): string {
  return longestFirst(values).reduce((shown, value) => shown.replaceAll(value, hidden), text);
}

export function longestFirst(values: readonly string[]): string[] {
  return values.filter((value) => value.length >= shortest).toSorted((a, b) => b.length - a.length);
}
