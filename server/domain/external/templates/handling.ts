import { plainEnvironment } from "#trainer/spec/environment.ts";
import { CellSpec, type RunSpec } from "#trainer/spec/run.ts";
import type { InputIssue } from "#server/domain/errors.ts";

/** What is to be said of one setting: its path in the specification, and its value with the reason. */
export type Remark = InputIssue;

/**
 * What another trainer does with a setting of ours. `passed`: its command carries the setting, or what makes the command
 * refuses the value. Otherwise the values that mean there what they mean here; others are refused, or noted where
 * nothing is lost but the setting.
 */
export type Handling = "passed" | { values: readonly unknown[]; otherwise: "refused" | "noted"; because: string };

/** The trainer has one way of its doing; a plan that asks for another must not run. */
export const only = (values: readonly unknown[], because: string): Handling => ({
  values,
  otherwise: "refused",
  because,
});

/** The trainer does as with `values` whatever is set, and says so. */
export const always = (values: readonly unknown[], because: string): Handling => ({
  values,
  otherwise: "noted",
  because,
});

/** Nothing of that trainer corresponds to the setting: a value that somebody chose, unlike the default, is noted. */
export const without = (because: string): Handling => ({ values: [], otherwise: "noted", because });

/** The built-in trainer's laboratory: what makes its sampler another policy than the one that learns. */
export const ownSampler = {
  lag: only([undefined, { kind: "constant", k: 0 }], "how far its sampler lags is decided by its own scheduling"),
  samplerPrecision: only([undefined, "float32"], "the precision of its sampler is the template's"),
  samplerNoise: only([undefined, { sigma: 0, seed: 0 }], "nothing adds noise to its sampler"),
} as const;

/** The policy of a trainer whose model is named elsewhere. */
export const namedModel = (because: string) => {
  const handling = without(because);
  return {
    size: handling,
    positions: handling,
    pretrained: handling,
    contextTokens: handling,
    loraRank: handling,
    loraAlpha: handling,
    loraTargets: handling,
  } satisfies Record<string, Handling>;
};

type Section<Settings> = { readonly [Name in keyof Required<Settings>]: Handling };

/** One handling for each setting of a cell but those of its method, which the translation of methods passes or refuses. */
export type Handlings = {
  readonly [
    Part in "policy" | "rollout" | "reward" | "update" | "optimizer" | "evaluation" | "budget" | "execution"
  ]: Section<CellSpec[Part]>;
} & { readonly initialisation: Handling; readonly environment: Readonly<Record<string, Handling>> };

/** Settings that the command does not carry and that the trainer does not have so, with the reason. */
export function judgeSettings(spec: RunSpec, handlings: Handlings): { notes: Remark[]; problems: Remark[] } {
  const defaults = CellSpec.parse({ environment: plainEnvironment(spec.environment), method: spec.method });
  const [notes, problems]: [Remark[], Remark[]] = [[], []];
  const judge = (handling: Handling, path: string, [value, usual]: readonly [unknown, unknown]): void => {
    if (handling === "passed") return;
    const { values, otherwise, because } = handling;
    const isSame = values.length > 0 ? values.some((one) => isEqual(one, value)) : isEqual(value, usual);
    if (isSame) return;
    if (otherwise === "refused") problems.push({ path, message: `${write(value)} is refused: ${because}` });
    else notes.push({ path, message: `${write(value)} is not passed: ${because}` });
  };
  const { initialisation, ...sections } = handlings;
  for (const [part, section] of Object.entries(sections)) {
    const [settings, usual] = [fieldsOf(spec, part), fieldsOf(defaults, part)];
    for (const [name, handling] of Object.entries<Handling>(section)) {
      judge(handling, `${part}.${name}`, [settings[name], usual[name]]);
    }
  }
  judge(initialisation, "initialisation", [spec.initialisation, defaults.initialisation]);
  return { notes, problems };
}

function fieldsOf(cell: CellSpec, part: string): Record<string, unknown> {
  const section = Object.entries(cell).find(([name]) => name === part)?.[1];
  return typeof section === "object" ? Object.fromEntries(Object.entries(section)) : {};
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function write(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
