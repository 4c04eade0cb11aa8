import { z } from "zod";
import { viewing, router, Int4 } from "../trpc.ts";

const Compared = z.strictObject({
  runIds: z.array(z.string().max(200)).max(50),
  cellIds: z.array(Int4).max(50),
  /** Names of configurations as in the page's address, such as `my-sweep/GRPO lr 3e-4`. */
  cells: z.array(z.string().max(500)).max(50).exactOptional(),
});

export const comparisonRouter = router({
  /** Returns the settings that differ between the configurations, and the settings that all share. */
  configurations: viewing
    .input(Compared)
    .query(({ ctx, input, signal }) => ctx.analyst.ask("comparison", input, signal)),

  /** Returns final values per configuration, compared with the chosen cell or, by default, the first cell. */
  finals: viewing
    .input(Compared.extend({ metric: z.string(), baseline: Int4.exactOptional() }))
    .query(({ ctx, input, signal }) => ctx.analyst.ask("comparedFinals", input, signal)),
});
