import { Advantage, Aggregation, Clipping, Sampling } from "#trainer/spec/dimensions.ts";
import { methodNames, methodOf, type Method } from "#trainer/spec/method.ts";
import { factorLevels, type dimensionFactors } from "#server/domain/plan/sweep/methods/factorLevels.ts";

export type LevelChoice = Readonly<Record<(typeof dimensionFactors)[number], string>>;

/**
 * Makes the method with these choices in the four dimensions. The parameters of a choice are those of the first
 * published method that makes it, else the schema's defaults. The off-policy correction, if any, is that of the
 * published method with the same clipping. Throws zod's error for an unknown choice.
 */
export function pointOfLevels(levels: LevelChoice): Method {
  const find = (factor: keyof LevelChoice) =>
    methodNames.map(methodOf).find((method) => factorLevels(method)[factor] === levels[factor]);
  const clipping = find("clipping");
  return {
    aggregation: Aggregation.parse(levels.aggregation),
    clipping: clipping?.clipping ?? Clipping.parse({ kind: levels.clipping }),
    advantage: find("advantage")?.advantage ?? Advantage.parse({ kind: levels.advantage }),
    sampling: find("sampling")?.sampling ?? Sampling.parse({ kind: levels.sampling }),
    ...(clipping?.correction && { correction: clipping.correction }),
  };
}
