import { readConfig } from "#server/config/config.ts";
import { fetchPlanned } from "#server/packages/fetchPackages.ts";
import { Play } from "#server/playground/play.ts";
import { players } from "#server/playground/players.ts";
import { viewing, router } from "../trpc.ts";

/** Environments to play. Nothing is stored: they are mutations because episodes are too long for an address. */
export const environmentRouter = router({
  /** The moment that an episode's replies lead to. */
  moment: viewing.input(Play).mutation(async ({ input, signal }) => {
    const packagesFolder = await fetchPlanned(readConfig().home, [input.environment]);
    return players().moment(input, { packagesFolder, signal });
  }),

  /** What the expert would answer there. */
  expert: viewing.input(Play).mutation(async ({ input, signal }) => {
    const packagesFolder = await fetchPlanned(readConfig().home, [input.environment]);
    return players().expert(input, { packagesFolder, signal });
  }),
});
