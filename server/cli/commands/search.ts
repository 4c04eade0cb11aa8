import type { Command } from "@commander-js/extra-typings";
import type { Database } from "#server/db/client.ts";
import type { SearchDecision } from "#server/db/searches.ts";
import { AppError } from "#server/domain/errors.ts";
import type { SearchPlan } from "#server/domain/sweep/searchPlan.ts";
import { formatCount, formatHyperparameter } from "#server/domain/words.ts";
import { findSweep } from "../client/findSweep.ts";
import type { Outcome } from "../outcome.ts";
import type { Performer } from "../performer.ts";

export function addSearch(program: Command, { performInStudio }: Performer): void {
  program
    .command("search")
    .description("a search's trials with results and reasons, and whether each decision comes out the same again")
    .argument("<SWEEP>")
    .action((sweep) => performInStudio(({ database }) => showSearch(database, sweep)));
}

/** Replays every decision from the outcomes that were known when it was made; exit code 1 where one differs from the stored one. */
async function showSearch(database: Database, sweep: string): Promise<Outcome> {
  const [{ readDecisions }, { readSweep }, { replay }, { listArms }, { groupBy }] = await Promise.all([
    import("#server/db/searches.ts"),
    import("#server/db/sweeps.ts"),
    import("#server/domain/search/replay.ts"),
    import("#server/domain/sweep/expand.ts"),
    import("#server/domain/groupBy.ts"),
  ]);
  const { id } = await findSweep(database, sweep);
  const { plan } = await readSweep(database, id);
  const search = plan?.search;
  if (!plan || !search) throw new AppError("conflict", `sweep ${id} has no search in its plan`);
  const cells = listArms(plan);
  const byArm = groupBy(await readDecisions(database.pool, id), ({ arm }) => arm);
  const arms = [...byArm].map(([arm, decisions]) => {
    const { method = "", label = "" } = cells[arm] ?? {};
    const others = replay(search, decisions);
    const trials = decisions.map((decision, i) => ({ ...decision, isReplayed: others[i] === undefined }));
    return { name: [method, label].filter(Boolean).join(" · "), trials };
  });
  const all = arms.flatMap(({ trials }) => trials);
  const numOther = all.filter(({ isReplayed }) => !isReplayed).length;
  const verdict =
    numOther === 0
      ? `${formatCount(all.length, "decision comes", "decisions come")} out the same again.`
      : `${numOther} of ${formatCount(all.length, "decision")} would come out otherwise today.`;
  const tables = arms.map(({ name, trials }) => [name, ...trials.map((one) => describe(search, one))].join("\n"));
  return { text: [...tables, verdict].join("\n\n"), json: { sweep: id, arms }, exitCode: numOther === 0 ? 0 : 1 };
}

type Shown = SearchDecision & { isReplayed: boolean };

function describe(search: SearchPlan, { number, point, outcome, cellId, reason, isReplayed }: Shown): string {
  const values = Object.entries(point).map(([path, value]) => `${path} ${toText(value)}`);
  const replayed = isReplayed ? "" : " · comes out otherwise";
  const result = cellId === null ? "its settings are refused" : describeOutcome(search, outcome);
  return `  trial ${number}: ${values.join(", ")} → ${result} (${reason})${replayed}`;
}

function toText(value: Shown["point"][string] | undefined): string {
  return typeof value === "number" ? formatHyperparameter(value) : String(value);
}

function describeOutcome({ objective }: SearchPlan, outcome: Shown["outcome"]): string {
  switch (outcome?.kind) {
    case undefined:
      return "not over";
    case "lost":
      return "lost";
    case "collapsed":
      return `collapsed by iteration ${Math.round(outcome.iteration)}`;
    case "measured": {
      const loss = outcome.losses[0] ?? NaN;
      return `${objective.metric} ${toText(objective.goal === "maximize" ? -loss : loss)}`;
    }
  }
}
