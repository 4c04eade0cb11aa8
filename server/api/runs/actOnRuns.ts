import { AppError } from "#packages/base";

/** Result of an action on many runs: number of successes, and the refusals. */
export type Acted = { numDone: number; refused: { id: string; message: string }[] };

/** Performs one action on each run. A refusal is reported and does not affect the others. */
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
