import type { CellSpec } from "#trainer/spec/run.ts";
import type { InputIssue } from "#packages/base";

/** Translation of a cell for another trainer: its command, or the reasons why it cannot run. */
export type Translation =
  | {
      argv: readonly string[];
      /** Command that prepares the training data of an attempt. */
      prepare?: readonly string[] | undefined;
      environment: Readonly<Record<string, string>>;
      folder: string;
      /** Number of GPUs of one machine that a run uses. */
      gpus?: number | undefined;
      notes: readonly string[];
      /** Paths of settings whose defaults suit only small models, so that a plan for this trainer must set them. */
      scaled: readonly string[];
      problems?: never;
    }
  | { problems: readonly InputIssue[] };

/**
 * Translates a cell to its trainer's command; `packages/trainers` makes it for one plan, with fixed seed and folders.
 */
export type Translate = (cell: CellSpec) => Translation;
