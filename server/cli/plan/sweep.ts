import type { Command } from "@commander-js/extra-typings";
import type { Performer } from "../performer.ts";
import { addSweepPreview } from "./sweepPreview.ts";
import { addSweepRun } from "./sweepRun.ts";

export function addSweep(program: Command, performer: Performer): void {
  const sweep = program
    .command("sweep")
    .description("create the sweep that a file plans; --watch shows its progress to the end");
  addSweepRun(sweep, performer);
  addSweepPreview(sweep, performer);
}
