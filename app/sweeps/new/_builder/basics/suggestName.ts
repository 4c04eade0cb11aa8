import { resolveMethod } from "#server/domain/plan/sweep/methodChoice.ts";
import { hasGrid, titleOfDraft, type Draft } from "../draft/draft.ts";

/** "GRPO, GSPO on Sokoban": default name of a sweep. Empty if nothing is chosen yet. */
export function suggestName(draft: Draft): string {
  const labels = draft.methods.map((choice) => resolveMethod(choice).label);
  const named = labels.length > 4 ? [...labels.slice(0, 3), `${labels.length - 3} more`] : labels;
  const what = [...named, ...(hasGrid(draft) ? ["grid"] : [])].join(", ");
  const where = [...new Set(draft.environments.map(titleOfDraft))];
  return what === "" ? "" : `${what} on ${where.join(", ")}`.slice(0, 100);
}
