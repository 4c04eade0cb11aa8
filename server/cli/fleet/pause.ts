import type { Command } from "@commander-js/extra-typings";
import { formatCount } from "#packages/base";
import { describeResting } from "#server/domain/plan/stopping/restingRules.ts";
import { findSweep } from "../client/findSweep.ts";
import type { Performer } from "../command.ts";
import { confirm, isInteractive } from "../confirm.ts";
import { toCount } from "../options.ts";

export function addPause(program: Command, performer: Performer): void {
  const command = program.command("pause").description("stop starting runs of a sweep; running runs continue");
  setIntent(command, performer, { intent: "pause", says: "is paused: running runs continue" });
}

export function addResume(program: Command, performer: Performer): void {
  const command = program.command("resume").description("resume starting runs of a paused sweep");
  setIntent(command, performer, { intent: "run", says: "is resumed" });
}

export function addRules(program: Command, { performInStudio }: Performer): void {
  program
    .command("rules")
    .description("let the rules of an imported sweep's plan (rescue, search) start runs, and state their number first")
    .argument("<SWEEP>")
    .option("--num-runs <N>", "confirm the number of runs; necessary without a terminal", toCount)
    .action((sweep, { numRuns }) =>
      performInStudio(async (studio) => {
        const [{ letRulesAct, readRestingRules }, { readTranslate }] = await Promise.all([
          import("#server/engine/studies/restingRules.ts"),
          import("../client/runSweep.ts"),
        ]);
        const { id } = await findSweep(studio.database, sweep);
        const translate = await readTranslate(studio);
        const rules = await readRestingRules(studio.database, id, translate);
        const text = describeResting(rules).map((line) => `  ${line}`);
        const runs = formatCount(rules.numRuns, "run");
        if (numRuns === undefined && isInteractive() && !(await confirm([...text, `Start ${runs}?`].join("\n"))))
          return { text: "Nothing was started", json: {}, exitCode: 1 };
        const confirmed = numRuns ?? (isInteractive() ? rules.numRuns : undefined);
        await letRulesAct(studio.database, { id, numRuns: confirmed, translate });
        const lines = [`The rules of sweep ${id} act from now on: ${runs}`, ...text];
        return { text: lines.join("\n"), json: { sweep: id, ...rules }, exitCode: 0 };
      }),
    );
}

type Intent = { intent: "pause" | "run"; says: string };

function setIntent(command: Command, { performInStudio }: Performer, { intent, says }: Intent): void {
  command.argument("<SWEEP>").action((sweep) =>
    performInStudio(async ({ database }) => {
      const { setSweepIntent } = await import("#server/db/plan/sweeps.ts");
      const { id } = await findSweep(database, sweep);
      await setSweepIntent(database, id, intent);
      return { text: `Sweep ${id} ${says}`, json: { sweep: id, intent }, exitCode: 0 };
    }),
  );
}
