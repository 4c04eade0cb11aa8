/** How a recording of an original environment compares with ours, check by check. */
export type ReplayReport = {
  numChecks: number;
  numMatched: number;
  /** By what was compared: observations, admissible actions, rewards, … */
  byKind: Readonly<Record<string, { checks: number; matched: number }>>;
  /** Where, what was recorded, what we have; undefined when everything matches. */
  firstDifference: string | undefined;
};

/** Compares what was recorded with what was found; `kind` names what is compared. */
export type Check = (kind: string, recorded: unknown, found: unknown) => void;

export type ReplayLog = ReturnType<typeof makeReplayLog>;

/** Collects checks of a replay. */
export function makeReplayLog() {
  const byKind: Record<string, { checks: number; matched: number }> = {};
  let firstDifference: string | undefined;
  return {
    /** Checks at a place of the recording: a line, a step. */
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
