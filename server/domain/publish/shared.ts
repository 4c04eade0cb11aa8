import { z } from "zod";
import { TableOptions, TableWording } from "./tables/builder/options.ts";

const id = z.string().min(1).max(200);
const maxRuns = 500;

/** A selection lists its runs by id, so that its link never shows later runs. */
export const Shared = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("sweep"), sweepId: id }),
  z.strictObject({ kind: z.literal("report"), reportId: id }),
  z.strictObject({
    kind: z.literal("table"),
    sweepIds: z.array(id).min(1).max(20),
    options: TableOptions,
    wording: TableWording,
  }),
  z.strictObject({
    kind: z.literal("selection"),
    runIds: z.array(id).min(1).max(maxRuns, `a shared link shows at most ${maxRuns} runs: select fewer`),
    columns: z.array(z.string().max(300)).max(60),
  }),
]);
export type Shared = z.infer<typeof Shared>;

export function describeShared(shared: Shared): string {
  switch (shared.kind) {
    case "sweep":
      return `sweep ${shared.sweepId}`;
    case "report":
      return `report ${shared.reportId}`;
    case "table":
      return `table of ${shared.sweepIds.join(", ")}`;
    case "selection":
      return shared.runIds.length === 1 ? `run ${shared.runIds[0]}` : `${shared.runIds.length} runs`;
  }
}
