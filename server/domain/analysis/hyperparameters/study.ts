import { isConstant } from "#packages/statistics";
import type { Column } from "./column.ts";
import { measureImportance, type Importance } from "./importance.ts";
import { chooseParameters, type LeftOut, type Parameter } from "./parameters.ts";

export type ImportanceStudy = {
  /** Number of runs with an outcome. */
  numRuns: number;
  numWithout: number;
  parameters: Pick<Parameter, "key" | "title">[];
  leftOut: LeftOut[];
  /** Sentences on missing results or limited evidence. */
  caveats: string[];
  /** Importances in the order of `parameters`; undefined if a caveat explains why. */
  importance?: Importance;
};

/** Minimum number of runs for a random forest, and of runs per parameter below which a caveat is given. */
const minRuns = 10;
const minEach = 10;

export function studyImportance(columns: readonly Column[], outcome: readonly (number | null)[]): ImportanceStudy {
  const runs = [...outcome.keys()].filter((run) => Number.isFinite(outcome[run] ?? NaN));
  const targets = Float64Array.from(runs, (run) => outcome[run] ?? NaN);
  const { parameters, leftOut } = chooseParameters(
    columns.map(({ values, ...rest }) => ({ ...rest, values: runs.map((run) => values[run] ?? null) })),
  );
  const found = {
    numRuns: runs.length,
    numWithout: outcome.length - runs.length,
    parameters: parameters.map(({ key, title }) => ({ key, title })),
    leftOut,
  };
  const obstacle = findObstacle(targets, parameters.length);
  if (obstacle !== undefined) return { ...found, caveats: [obstacle] };
  const importance = measureImportance({ axes: parameters.map(({ axis }) => axis), targets });
  if (!importance) return { ...found, caveats: [endedAlike] };
  const caveats = describeCaveats(importance, found);
  return isNoise(importance) ? { ...found, caveats } : { ...found, importance, caveats };
}

/** Names the parameter with the largest share of variance; empty if importance is not shown. */
export function summariseImportance({ parameters, importance }: ImportanceStudy): string {
  const shares = importance?.mains.map(({ mean }) => mean) ?? [];
  const first = parameters[shares.indexOf(Math.max(...shares))];
  if (!first) return "";
  const share = `${Math.round(100 * Math.max(...shares))} %`;
  return `${first.title} explains ${share} of the variance that a random forest predicts from the settings.`;
}

/** True if the forest explains less than 5 % of the variance of held-out runs. */
const isNoise = ({ score }: Importance): boolean => !(score > 0.05);

const endedAlike = "All runs have the same value, so there is no difference that a parameter could explain.";

function findObstacle(targets: Float64Array, numParameters: number): string | undefined {
  const numRuns = targets.length;
  if (numRuns < minRuns) {
    return `${numRuns === 1 ? "1 run has" : `${numRuns} runs have`} a value of the outcome. Importance needs at least ${minRuns} runs.`;
  }
  if (isConstant(Array.from(targets))) return endedAlike;
  if (numParameters === 0) return "No parameter varies among these runs, so importance cannot be measured.";
  return undefined;
}

function describeCaveats(
  importance: Importance,
  { numRuns, parameters }: { numRuns: number; parameters: readonly unknown[] },
): string[] {
  const caveats: string[] = [];
  if (isNoise(importance)) {
    const score = importance.score.toFixed(2).replace("-", "−");
    return [
      `The random forest does not predict held-out runs (R² ${score}): importances would be noise, and are not shown.`,
    ];
  }
  if (numRuns < minEach * parameters.length) {
    caveats.push(
      `There are only ${numRuns} runs for ${parameters.length} parameters: the order of the less important parameters may be due to chance.`,
    );
  }
  return caveats;
}

export function describeLeftOut(leftOut: LeftOut): string {
  const { title } = leftOut;
  switch (leftOut.reason) {
    case "constant":
      return `${title} has not varied: ${leftOut.value} in every run.`;
    case "determined":
      return leftOut.isMutual
        ? `${title} always changes together with ${leftOut.by}, so their effects cannot be separated.`
        : `${title} is determined by ${leftOut.by}.`;
    case "tooMany":
      return `${title} has ${leftOut.numLevels} categories, too many to compare.`;
    case "gaps":
      return `${title} is not set in every run.`;
  }
}
