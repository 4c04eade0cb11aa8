import type { CellSpec } from "#trainer/spec/run.ts";
import type { InputIssue } from "#packages/base";

/** Translation of a cell for another trainer: its command, or the reasons why it cannot run. */
export type Translation =
  | {
      argv: readonly string[];
      /** Command that prepares an attempt's data. */
      prepare?: readonly string[] | undefined;
      environment: Readonly<Record<string, string>>;
      folder: string;
      /** GPUs of one machine that a run uses. */
      gpus?: number | undefined;
      notes: readonly string[];
      /** Settings whose defaults suit small models only, so that a plan for this trainer must set them. */
      scaled: readonly string[];
      problems?: never;
    }
  | { problems: readonly InputIssue[] };

/** Translates the cells of one plan, with a fixed seed and folders. `packages/trainers` makes it from the administrator's file. */
export type Translate = (cell: CellSpec) => Translation;
