import { findPublished } from "#server/domain/plan/sweep/methods/acting.ts";
import { MethodVariant } from "#server/domain/plan/sweep/methods/methodChoice.ts";
import { listCommandDoubts } from "#server/domain/plan/sweep/commandDoubts.ts";
import { type InputIssue, quoteArgument } from "#packages/base";
import type { Cell } from "#server/domain/plan/sweep/expand/expand.ts";
import { hidden, hideValues, splitSecrets } from "#server/domain/fleet/secrets.ts";
import { isSecretName } from "#trainer/spec/secretName.ts";
import type { Translate } from "#server/domain/plan/sweep/translate.ts";

export type CellPreview = {
  index: number;
  method: string;
  label: string;
  /** Name of the external trainer; undefined for the built-in trainer. */
  trainer: string | undefined;
  /** Shell command with seed 0. `RUN` replaces the run's folder and name, and `HOME` the state folder. */
  command: string;
  /** Notes on settings of the cell that its trainer does not receive, or treats differently. */
  notes: readonly string[];
  /** Warnings about the command, each with its remedy. */
  doubts: readonly string[];
  problems: readonly InputIssue[];
  /** Variant of the method that the trainer accepts, if it rejects one of the method's aggregations. */
  instead?: MethodVariant;
};

export function previewCells(cells: readonly Cell[], translate: Translate): CellPreview[] {
  return cells.map(({ index, method, label, spec }) => {
    const cell = { index, method, label, trainer: spec.trainer?.name, notes: [], doubts: [], problems: [] };
    if (spec.trainer === undefined) return { ...cell, command: "" };
    const translation = translate(spec);
    if (translation.problems) {
      const { problems } = translation;
      const instead = findInstead({ method, spec }, problems);
      return { ...cell, command: "", problems, ...(instead && { instead }) };
    }
    const { argv, prepare = [], environment, notes } = translation;
    const variables = Object.entries(environment).map(
      ([name, value]) => `${name}=${isSecretName(name) ? hidden : quoteArgument(value)}`,
    );
    const values = Object.values(splitSecrets(environment).secret);
    const commandOf = (words: readonly string[]) =>
      [...variables, ...words.map((word) => quoteArgument(hideValues(word, values)))].join(" ");
    const command = prepare.length === 0 ? commandOf(argv) : `${commandOf(prepare)} && ${commandOf(argv)}`;
    return { ...cell, command, notes, doubts: listCommandDoubts(argv, spec) };
  });
}

function findInstead(
  { method, spec }: Pick<Cell, "method" | "spec">,
  problems: readonly InputIssue[],
): MethodVariant | undefined {
  const changes = problems.flatMap(({ path, instead }): [string, string][] => {
    const [, field] = /^method\.(aggregation|penaltyAggregation)$/.exec(path) ?? [];
    return field === undefined || instead === undefined ? [] : [[field, instead]];
  });
  const from = findPublished(spec.method);
  // If the trainer also rejects another setting, it would reject the variant too.
  if (from === undefined || changes.length === 0 || changes.length < problems.length) return undefined;
  const name = `${method} by ${[...new Set(changes.map(([, value]) => value))].join(", ")}`.slice(0, 60);
  const variant = MethodVariant.safeParse({ name, from, ...Object.fromEntries(changes) });
  return variant.success ? variant.data : undefined;
}

/** Formats a variant as in a sweep file: `{ name: My GRPO, from: grpo, aggregation: seqMeanTokenMean }`. */
export function writeVariant(variant: MethodVariant): string {
  const fields = Object.entries(variant).map(([key, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return `${key}: ${/[,:#[\]{}]/.test(text) ? JSON.stringify(text) : text}`;
  });
  return `{ ${fields.join(", ")} }`;
}
