/** Result of comparing a recording of an original environment with the studio's reimplementation, check by check. */
export type ReplayReport = {
  numChecks: number;
  numMatched: number;
  /** Number of checks and of matches, by the kind of value: observations, admissible actions, rewards, … */
  byKind: Readonly<Record<string, { checks: number; matched: number }>>;
  /** First position in the recording at which the values differ, with both values; undefined if all values match. */
  firstDifference: string | undefined;
};

/** Compares a recorded value with the value `found` in the studio's environment. `kind` names the compared value. */
export type Check = (kind: string, recorded: unknown, found: unknown) => void;

export type ReplayLog = ReturnType<typeof makeReplayLog>;

/** Makes a log that collects the comparisons of a replay. */
export function makeReplayLog() {
  const byKind: Record<string, { checks: number; matched: number }> = {};
  let firstDifference: string | undefined;
  return {
    /** Returns the comparing function for one position in the recording, such as a line or a step. */
    at(where: string): Check {
      return (kind, recorded, found) => {
        const tally = (byKind[kind] ??= { checks: 0, matched: 0 });
        const [expected, actual] = [JSON.stringify(recorded), JSON.stringify(found)];
        tally.checks++;
        if (expected === actual) tally.matched++;
        else firstDifference ??= `${where}, ${kind}: recorded ${expected}, we have ${actual}`;
      };
    },
    report(): ReplayReport {
      const sum = (of: "checks" | "matched"): number => Object.values(byKind).reduce((n, kind) => n + kind[of], 0);
      return { numChecks: sum("checks"), numMatched: sum("matched"), byKind, firstDifference };
    },
  };
}
