import { readConfig } from "#server/config/config.ts";
import { listShipped, openShipped } from "#server/engine/studies/shippedStudies.ts";
import { changing, viewing, router } from "../trpc.ts";

export const studyRouter = router({
  shipped: viewing.query(async () => {
    const studies = await listShipped();
    return {
      numRuns: studies.reduce((sum, { numRuns }) => sum + numRuns, 0),
      methods: [...new Set(studies.flatMap(({ methods }) => methods))],
      environments: [...new Set(studies.flatMap(({ environments }) => environments))],
    };
  }),

  /** Imports the shipped example studies with runs, curves and episodes, and verifies the hashes of their tables. */
  open: changing.mutation(({ ctx: { database, analyst } }) =>
    openShipped(database, readConfig().home, (hash) => analyst.ask("verifiedTable", { hash })),
  ),
});
