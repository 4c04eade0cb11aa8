import { groupBy } from "#packages/base";
import type { ForeignFile } from "./foreignRun.ts";
import { findNumbered, parentOf } from "./nameFile.ts";

/** Formats whose numbered folders are attempts of one run, or steps. */
export const ofAttempts: ReadonlySet<ForeignFile["format"]> = new Set(["events", "rollouts"]);

/**
 * Maps files to the numbered folder that is a run of its own, such as a seed's (`grpo/0/progress.csv`). It is one if
 * the logs in two such folders begin at the same step; otherwise a later one continues the earlier one.
 */
export function findNumberedRuns(
  files: readonly { fileName: string; file: ForeignFile }[],
): ReadonlyMap<string, string> {
  const found = files.flatMap(({ fileName, file: { format, runs } }) => {
    const own = ofAttempts.has(format) ? undefined : findNumbered(fileName);
    if (own === undefined) return [];
    const first = runs.reduce(
      (least, { lines }) => Math.min(least, ...lines.slice(0, 1).map(({ step }) => step)),
      Infinity,
    );
    return [{ fileName, own, parent: parentOf(own), start: `${parentOf(own)} ${format} ${first}` }];
  });
  const clashing = [...groupBy(found, ({ start }) => start).values()].filter(
    (group) => new Set(group.map(({ own }) => own)).size > 1,
  );
  const parents = new Set(clashing.flatMap((group) => group.map(({ parent }) => parent)));
  return new Map(found.filter(({ parent }) => parents.has(parent)).map(({ fileName, own }) => [fileName, own]));
}
