import { readConfig } from "#server/config/config.ts";
import { fetchPlanned } from "#server/engine/wheels/fetchPackages.ts";
import { Play } from "#server/engine/playground/play.ts";
import { players } from "#server/engine/playground/players.ts";
import { viewing, router } from "../trpc.ts";

/**
 * Plays environments. Nothing is stored; these procedures are mutations only because episodes are too long for an
 * URL.
 */
export const environmentRouter = router({
  /** Returns the moment after an episode's replies. */
  moment: viewing.input(Play).mutation(async ({ input, signal }) => {
    const packagesFolder = await fetchPlanned(readConfig().home, [input.environment]);
    return players().moment(input, { packagesFolder, signal });
  }),

  /** Returns the expert's response at that moment. */
  expert: viewing.input(Play).mutation(async ({ input, signal }) => {
    const packagesFolder = await fetchPlanned(readConfig().home, [input.environment]);
    return players().expert(input, { packagesFolder, signal });
  }),
});
