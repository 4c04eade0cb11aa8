import { makeScaleWatch } from "#packages/base";
import { nameAlone } from "#packages/trainers";
import type { Journal } from "./journal.ts";

/** Wraps a journal so that it also notes, while the run trains, each success rate that is not logged as a fraction. */
export function noteScales(journal: Pick<Journal, "append" | "note">): Pick<Journal, "append"> {
  const scaleNote = makeScaleWatch(nameAlone);
  return {
    append: async (metrics) => {
      const fresh = await journal.append(metrics);
      for (const { key, value, step } of fresh) {
        const text = scaleNote(key, value, step);
        if (text !== undefined) await journal.note("warning", text, "reading");
      }
      return fresh;
    },
  };
}
