import { Play, expertResponse, replay, toMoment } from "../playground/play.ts";
import { protectedProcedure, router } from "./trpc.ts";

/** Environments to play. Nothing is stored: they are mutations because episodes are too long for an address. */
export const environmentRouter = router({
  /** The moment that an episode's replies lead to. */
  moment: protectedProcedure.input(Play).mutation(async ({ input }) => toMoment(await replay(input), input)),

  /** What the expert would answer there. */
  expert: protectedProcedure.input(Play).mutation(async ({ input }) => expertResponse(await replay(input))),
});
