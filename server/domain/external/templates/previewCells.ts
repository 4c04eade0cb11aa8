import type { InputIssue } from "#server/domain/errors.ts";
import type { Cell } from "#server/domain/sweep/expand.ts";
import { quoteArgument } from "#server/domain/quoteArgument.ts";
import { hidden, hideArgument, hideValues, splitSecrets } from "#server/domain/secrets.ts";
import { isSecretName } from "#trainer/spec/secretName.ts";
import type { Translate } from "./translate.ts";

/** Preview of a cell: its shell command, or the reason why there is none. */
export type CellPreview = {
  index: number;
  method: string;
  label: string;
  /** Undefined: the built-in trainer. */
  trainer: string | undefined;
  /** `RUN` replaces the run's folder and name, `HOME` the state folder; the seed is 0. */
  command: string;
  /** Settings of the cell that its trainer does not get, or handles differently. */
  notes: readonly string[];
  problems: readonly InputIssue[];
};

/** Every cell with its trainer's command, before launch. */
export function previewCells(cells: readonly Cell[], translate: Translate): CellPreview[] {
  return cells.map(({ index, method, label, spec }) => {
    const cell = { index, method, label, trainer: spec.trainer?.name, notes: [], problems: [] };
    if (spec.trainer === undefined) return { ...cell, command: "" };
    const translation = translate(spec);
    if (translation.problems) return { ...cell, command: "", problems: translation.problems };
    const { argv, prepare = [], environment, notes } = translation;
    const variables = Object.entries(environment).map(
      ([name, value]) => `${name}=${isSecretName(name) ? hidden : quoteArgument(value)}`,
    );
    const values = Object.values(splitSecrets(environment).secret);
    const commandOf = (words: readonly string[]) =>
      [...variables, ...words.map((word) => quoteArgument(hideValues(hideArgument(word), values)))].join(" ");
    const command = prepare.length === 0 ? commandOf(argv) : `${commandOf(prepare)} && ${commandOf(argv)}`;
    return { ...cell, command, notes };
  });
}
