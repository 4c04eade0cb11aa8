import type { CellSpec } from "#trainer/spec/run.ts";
import type { InputIssue } from "#packages/base";

/** Translation of a cell for another trainer: its command, or the reasons why it cannot run. */
export type Translation =
  | {
      argv: readonly string[];
      /** Command that prepares the data of an attempt. */
      prepare?: readonly string[] | undefined;
      environment: Readonly<Record<string, string>>;
      folder: string;
      /** GPUs of one machine for a run. */
      gpus?: number | undefined;
      notes: readonly string[];
      /** Settings whose defaults suit small models only: a plan for this trainer must name them. */
      scaled: readonly string[];
      problems?: never;
    }
  | { problems: readonly InputIssue[] };

/** Translates the cells of one plan, with a fixed seed and folders. `packages/trainers` makes it from the administrator's file. */
export type Translate = (cell: CellSpec) => Translation;
