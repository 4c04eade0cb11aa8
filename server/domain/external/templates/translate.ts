import type { CellSpec, RunSpec } from "#trainer/spec/run.ts";
import { AppError, type InputIssue } from "#server/domain/errors.ts";
import type { AttemptPaths } from "./fillIn.ts";
import { resolveTemplate } from "./resolveTemplate.ts";
import type { ExternalJob, TrainerTemplate } from "./template.ts";

/** What another trainer makes of a cell: its command, or why it cannot carry the cell out. */
export type Translation =
  | ({ scaled: readonly string[] } & Pick<
      ExternalJob,
      "argv" | "prepare" | "environment" | "folder" | "gpus" | "notes"
    > & {
        problems?: never;
      })
  | { problems: readonly InputIssue[] };

/** Settings whose defaults here are for small models; a plan of a larger trainer has to name them. */
const scaled = ["optimizer.learningRate", "rollout.maxResponseTokens"] as const;

/** Of the cells of one plan, which name the same seed and folders. */
export type Translate = (cell: CellSpec) => Translation;

/** An attempt that stands for all: the command of two cells is compared, nothing is started. */
const anyAttempt: AttemptPaths = { folder: "RUN/1", runFolder: "RUN", run: "RUN", attempt: 1, home: "HOME" };

/** Translates the cells of a plan by the administrator's file, which is read at the first cell that needs it. */
export function makeTranslate(readTemplates: () => Readonly<Record<string, TrainerTemplate>>): Translate {
  let templates: Readonly<Record<string, TrainerTemplate>> | undefined;
  return (cell) => {
    try {
      templates ??= readTemplates();
      const spec: RunSpec = { ...cell, v: 1, seed: 0 };
      const { argv, prepare, environment, folder, gpus, notes } = resolveTemplate(templates, spec, anyAttempt);
      const kind = templates[spec.trainer?.name ?? ""]?.kind;
      // A program of the administrator's own names what it takes.
      return {
        argv,
        ...(prepare && { prepare }),
        environment,
        folder,
        ...(gpus !== undefined && { gpus }),
        notes,
        scaled: kind === "command" ? [] : scaled,
      };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { problems: error.issues.length > 0 ? error.issues : [{ path: "trainer", message: error.message }] };
    }
  };
}
