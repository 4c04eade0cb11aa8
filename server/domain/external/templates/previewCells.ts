import type { InputIssue } from "#server/domain/errors.ts";
import type { Cell } from "#server/domain/sweep/expand.ts";
import { quoteArgument } from "#server/domain/quoteArgument.ts";
import { hidden, hideArgument, hideValues, splitSecrets } from "#server/domain/secrets.ts";
import { isSecretName } from "#trainer/spec/secretName.ts";
import type { Translate } from "./translate.ts";

/** What carries a cell out: the command as a shell would need it, or why there is none. */
export type CellPreview = {
  index: number;
  method: string;
  label: string;
  /** Undefined: the built-in trainer. */
  trainer: string | undefined;
  /** `RUN` stands for the run's folder and name, `HOME` for the state folder, and the seed is 0. */
  command: string;
  /** What of the cell its trainer is not told, or does otherwise. */
  notes: readonly string[];
  problems: readonly InputIssue[];
};

/** Every cell with the command that its trainer gets, before anything is launched. */
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
