import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { CellPreview } from "#server/domain/trainers/previewCells.ts";
import type { Cell } from "#server/domain/plan/sweep/expand/expand.ts";
import type { ModelFacts } from "#server/engine/models/describeModel.ts";
import type { Checked, FieldIssue } from "./draft/check.ts";
import { useTrpcClient } from "#app/_trpc/client.tsx";

export type Preview = {
  cells: readonly CellPreview[];
  models: readonly ModelFacts[];
  /** Warnings about the commands of external trainers. */
  doubts: readonly string[];
  /** Errors reported by trainers, each with the form field that causes it. */
  issues: readonly FieldIssue[];
  /** True if `cells` and `models` belong to the plan before the last change. */
  isStale: boolean;
  error: Error | null;
};

const none: Preview = { cells: [], models: [], doubts: [], issues: [], isStale: false, error: null };

export function usePreview(valid: Checked["valid"]): Preview {
  const client = useTrpcClient();
  const isAsked = ({ spec }: Cell): boolean => spec.trainer !== undefined || spec.policy.pretrained !== undefined;
  const hasOthers = valid?.expansion.cells.some(isAsked) ?? false;
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ["sweep.preview", valid?.plan],
    queryFn: () => (valid ? client.sweep.preview.mutate(valid.plan) : { cells: [], numCells: 0, models: [] }),
    enabled: hasOthers,
    placeholderData: keepPreviousData,
  });
  if (!hasOthers) return none;
  if (!data) return { ...none, error };
  // Problems of an earlier plan are omitted while the preview of the new plan loads.
  if (isPlaceholderData) return { ...none, cells: data.cells, models: data.models, isStale: true };
  const refused = [...data.cells, ...data.models].flatMap(({ problems }) => problems);
  const issues = unique(refused.map(({ path, message }) => ({ field: toField(path), message })));
  const doubts = data.cells.flatMap((cell) => cell.doubts);
  return { ...none, cells: data.cells, models: data.models, doubts, issues, error };
}

function toField(path: string): string {
  if (path.startsWith("method")) return "methods";
  if (path.startsWith("environment")) return "environments";
  return path === "trainer" || path.startsWith("trainer.") ? "base.trainer" : `base.${path}`;
}

function unique(issues: readonly FieldIssue[]): FieldIssue[] {
  return [...new Map(issues.map((issue) => [`${issue.field} ${issue.message}`, issue])).values()];
}
