import { readConfig } from "#server/config/config.ts";
import { fetchPlanned } from "#server/engine/wheels/fetchPackages.ts";
import { Play } from "#server/engine/playground/play.ts";
import { players } from "#server/engine/playground/players.ts";
import { viewing, router } from "../trpc.ts";

/** Procedures for playing. Nothing is stored: they are mutations only because episodes are too long for a URL. */
export const environmentRouter = router({
  /** Returns the state of an episode after the given replies. */
  moment: viewing.input(Play).mutation(async ({ input, signal }) => {
    const packagesFolder = await fetchPlanned(readConfig().home, [input.environment]);
    return players().moment(input, { packagesFolder, signal });
  }),

  /** Returns the response of the environment's expert after the given replies. */
  expert: viewing.input(Play).mutation(async ({ input, signal }) => {
    const packagesFolder = await fetchPlanned(readConfig().home, [input.environment]);
    return players().expert(input, { packagesFolder, signal });
  }),
});
