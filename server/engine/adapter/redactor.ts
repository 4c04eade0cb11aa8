import { hideValues, longestFirst } from "#server/domain/fleet/secrets.ts";
import { isSecretName } from "#trainer/spec/secretName.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns a job's secret values: variables declared secret, and variables whose names suggest a secret. */
export function secretValues(environment: Environment): string[] {
  const named = (environment["ARLARENA_SECRETS"] ?? "").split(",");
  const values = Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && (named.includes(name) || isSecretName(name)) ? [value] : [],
  );
  return longestFirst(values);
}

/** Removes secrets from output, even across chunks. `end` returns the bytes still held back. */
export function makeRedactor(values: readonly string[]): { push(bytes: Buffer): Buffer; end(): Buffer } {
  // Bytes are handled as Latin-1 characters, because a program's output need not be valid text.
  const wanted = values.map((value) => Buffer.from(value, "utf8").toString("latin1"));
  let held = "";
  return {
    push(bytes) {
      const shown = hideValues(held + bytes.toString("latin1"), wanted);
      const length = Math.max(0, ...wanted.map((value) => lengthOfBeginning(shown, value)));
      held = shown.slice(shown.length - length);
      return Buffer.from(shown.slice(0, shown.length - length), "latin1");
    },
    end() {
      const rest = Buffer.from(held, "latin1");
      held = "";
      return rest;
    },
  };
}

/** Returns the length of the longest suffix of `text` that is a prefix of `value`. */
function lengthOfBeginning(text: string, value: string): number {
  for (let length = Math.min(text.length, value.length - 1); length > 0; length--) {
    if (text.endsWith(value.slice(0, length))) return length;
  }
  return 0;
}
