import type { CellSpec, RunSpec } from "#trainer/spec/run.ts";
import { AppError, type InputIssue } from "#packages/base";
import type { AttemptPaths } from "./fillIn.ts";
import { resolveTemplate } from "./resolveTemplate.ts";
import type { ExternalJob, TrainerTemplate } from "./template.ts";

type Translation =
  | ({ scaled: readonly string[] } & Pick<
      ExternalJob,
      "argv" | "prepare" | "environment" | "folder" | "gpus" | "notes"
    > & {
        problems?: never;
      })
  | { problems: readonly InputIssue[] };

/** Settings whose default values suit small models: a plan for an external trainer must set them itself. */
const scaled = ["optimizer.learningRate", "rollout.maxResponseTokens"] as const;

/** Placeholder paths for commands that are only shown or compared between cells and never executed. */
const anyAttempt: AttemptPaths = { folder: "RUN/1", runFolder: "RUN", run: "RUN", attempt: 1, home: "HOME" };

/** Translates a plan's cells by the administrator's templates, which are read when first needed. */
export function makeTranslate(
  readTemplates: () => Readonly<Record<string, TrainerTemplate>>,
): (cell: CellSpec) => Translation {
  let templates: Readonly<Record<string, TrainerTemplate>> | undefined;
  return (cell) => {
    try {
      templates ??= readTemplates();
      const spec: RunSpec = { ...cell, v: 1, seed: 0 };
      const { argv, prepare, environment, folder, gpus, notes } = resolveTemplate(templates, spec, anyAttempt);
      const kind = templates[spec.trainer?.name ?? ""]?.kind;
      // A template of kind `command` names the settings that it uses, so `scaled` lists no further settings for it.
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
