import { formatCount } from "#packages/base";

/** Runs that the resting rules of an imported sweep's plan would start, once a person lets them act. */
export type RestingRules = {
  /** True while runs are being labelled: the rescue rule's branches cannot be counted yet. */
  isJudging: boolean;
  /** Collapsed runs whose branches the rescue rule would open, and number of these branches. */
  numCollapsed: number;
  numBranches: number;
  /** Reasons why the rule would open no branches of further collapsed runs. */
  refusals: readonly string[];
  /** Trials that the search may still begin, and number of their runs. */
  numTrials: number;
  numTrialRuns: number;
  /** Sum of branches and trials' runs. */
  numRuns: number;
};

export function describeResting(rules: RestingRules): string[] {
  const { numCollapsed, numBranches, refusals, numTrials, numTrialRuns } = rules;
  return [
    ...(numBranches > 0 || refusals.length > 0
      ? [
          `rescue rule: ${formatCount(numBranches, "branch", "branches")} of ${formatCount(numCollapsed, "collapsed run")}`,
        ]
      : []),
    ...refusals,
    ...(numTrials > 0
      ? [
          `search: up to ${formatCount(numTrialRuns, "run")} of ${formatCount(numTrials, "trial")}, within its budget and its rules`,
        ]
      : []),
  ];
}
