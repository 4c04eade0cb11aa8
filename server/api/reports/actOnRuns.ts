import { AppError } from "#server/domain/errors.ts";

/** What became of an action on many runs: how many took it, and why the others did not. */
export type Acted = { numDone: number; refused: { id: string; message: string }[] };

/** Performs one action on each of some runs. A refusal of one is reported and does not hold up the others. */
export async function actOnRuns(ids: readonly string[], act: (id: string) => Promise<void>): Promise<Acted> {
  const refused: Acted["refused"] = [];
  for (const id of ids) {
    try {
      await act(id);
    } catch (error) {
      if (!(error instanceof AppError) || error.code === "internal") throw error;
      refused.push({ id, message: error.message });
    }
  }
  return { numDone: ids.length - refused.length, refused };
}
