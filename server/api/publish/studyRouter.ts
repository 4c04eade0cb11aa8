import { z } from "zod";
import { readConfig } from "#server/config/config.ts";
import { type ShippedId, shippedStudies, type StudyProgress } from "#server/domain/publish/shippedStudies.ts";
import { openShipped, readShipped } from "#server/engine/studies/shippedStudies.ts";
import { changing, viewing, router } from "../trpc.ts";

const Study = z.strictObject({ study: z.enum(Object.keys(shippedStudies) as [ShippedId, ...ShippedId[]]) });

/** Progress of the imports in this process. */
const openings = new Map<ShippedId, StudyProgress>();

export const studyRouter = router({
  /** Runs, methods and environments of a recorded study that ships with the studio. */
  shipped: viewing.input(Study).query(({ input }) => readShipped(input.study)),

  /** Progress of the import of a shipped study; null while none is imported. */
  progress: viewing.input(Study).query(({ input }) => openings.get(input.study) ?? null),

  /** Imports a shipped study with runs, curves and episodes, and verifies the hashes of its tables. */
  open: changing.input(Study).mutation(async ({ ctx: { database, analyst }, input: { study } }) => {
    let told: StudyProgress | undefined;
    try {
      return await openShipped(database, study, {
        home: readConfig().home,
        verify: (hash) => analyst.ask("verifiedTable", { hash }),
        onProgress: (progress) => openings.set(study, (told = progress)),
      });
    } finally {
      // The progress of another person's import of the same study stays.
      if (openings.get(study) === told) openings.delete(study);
    }
  }),
});
