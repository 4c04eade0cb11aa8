import { makeScaleWatch } from "#server/domain/external/rates.ts";
import type { Journal } from "./journal.ts";

/** Notes what a success rate is counted in while a run goes on: whoever watches its curve needs it then. */
export function noteScales(journal: Pick<Journal, "append" | "note">): Pick<Journal, "append"> {
  const scaleNote = makeScaleWatch();
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
