import type { Step } from "./checkSource.ts";
import { addUp, type Counts, listFailures, listSlowest, type Outcome, toSentence, verdict } from "./tally.ts";

type Done = { name: string; outcome: Outcome };

/**
 * Runs lanes in parallel and the steps of a lane in sequence, regardless of failures. Prints each result. At the end it
 * prints the slowest files, the output of failed checks and, last, the names of failed tests, so that the end of a log
 * suffices.
 */
export async function runLanes(lanes: readonly (readonly Step[])[], isStrict: boolean): Promise<Counts> {
  const done = (await Promise.all(lanes.map(runLane))).flat();
  const slowest = listSlowest(done.flatMap(({ outcome }) => outcome.files ?? []));
  if (slowest.length > 0) console.log(`\nSlowest test files:\n${slowest.join("\n")}`);
  const skips = done.flatMap(({ outcome }) => outcome.skips ?? []);
  for (const { name, reason } of skips) console.log(`skipped: ${name} (${reason ?? "no reason given"})`);
  for (const { name, outcome } of done) {
    if (outcome.counts.failed > 0 && outcome.text) console.log(`\n✗ ${name}\n${outcome.text.trimEnd()}\n`);
  }
  const numUnexplained = skips.filter(({ reason }) => reason === undefined).length;
  if (isStrict && numUnexplained > 0) console.log(`✗ ${numUnexplained} skipped without a reason`);
  const failures = done.flatMap(({ name, outcome }) => listFailures(name, outcome));
  if (failures.length > 0) console.log(`\nFailed:\n${failures.join("\n")}\n`);
  const failed = isStrict ? numUnexplained : 0;
  return addUp([...done.map(({ outcome }) => outcome.counts), { passed: 0, failed, skipped: 0 }]);
}

async function runLane(steps: readonly Step[]): Promise<Done[]> {
  const done: Done[] = [];
  for (const { name, perform } of steps) {
    const startedMs = Date.now();
    const outcome = await perform().catch(failed);
    const seconds = ((Date.now() - startedMs) / 1000).toFixed(1);
    const { counts } = outcome;
    console.log(`${counts.failed === 0 ? "✓" : "✗"} ${name}: ${toSentence(counts)} (${seconds} s)`);
    done.push({ name, outcome });
  }
  return done;
}

/** A step that cannot run, or whose report is unreadable, has failed; the others continue. */
function failed(error: unknown): Outcome {
  return { counts: verdict(false), text: String(error) };
}
