export {
  bootstrap,
  bootstrapAll,
  type BootstrapOptions,
  makeMeanBootstrap,
  percentileInterval,
  resample,
  twoLevelInterval,
} from "./bootstrap.ts";
export { bcaDifference, bcaRestrictedMean } from "./bcaEffects.ts";
export { compareMethods, type CompareOptions, type Comparison } from "./compare.ts";
export { type ColumnTest, compare, type MethodSummary, type Panel } from "./comparePanel.ts";
export type { PooledMethod } from "./comparePooled.ts";
export { type CoxTerm, fitCox } from "./cox.ts";
export {
  chiSquareUpperTail,
  fUpperTail,
  halfWidthOf,
  meanInterval,
  normalQuantile,
  normalUpperTail,
  tQuantile,
  tUpperTail,
} from "./distributions.ts";
export { type Equivalence, testEquivalence } from "./equivalence.ts";
export { detectableDifference, evidenceRules, explainEvidence, judgeEvidence, toStars } from "./evidence.ts";
export { type Count, fisherTest, hypergeometric, pairedTTest, sumNoLikelier } from "./twoSampleTests.ts";
export { type Looks, nominalLevel, sequentialP } from "./groupSequential.ts";
export { compareSurvival, fewEvents, type LogRank, maxArrangements } from "./logRank.ts";
export { findNeededSeeds } from "./neededSeeds.ts";
export { parseLongFormat } from "./longFormat.ts";
export { benjaminiHochberg, holm } from "./multiplicity.ts";
export { clusteredOddsRatio, type OddsRatio } from "./oddsRatio.ts";
export { chooseMetric, chooseMetrics, chooseSharedMetric } from "./openingMetric.ts";
export {
  clusteredDifference,
  clusteredRestrictedMean,
  type Pair,
  pairedDifference,
  type PairedEffect,
  pairedRestrictedMean,
} from "./pairedEffects.ts";
export {
  type Columns,
  decompose,
  type Decomposition,
  dot,
  selectPanels,
  solveTransposed,
  squaresWithin,
} from "./panels.ts";
export { parseCsv } from "./parseCsv.ts";
export { pooledMeanInterval } from "./rates.ts";
export { rankWithIntervals } from "./rankIntervals.ts";
export { rank } from "./ranks.ts";
export { clusteredRateInterval, type Interval, poissonInterval, wilsonInterval, withinRates } from "./rates.ts";
export { makeRocArea, type Scored } from "./rocArea.ts";
export { warnOfSelection } from "./selectionBias.ts";
export {
  beforeTraining,
  best,
  countEvaluations,
  type Curve,
  describeNonFinite,
  finalWindow,
  type FinalWindow,
  last,
  type NonFiniteMark,
  type Series,
} from "./series.ts";
export {
  type Bounded,
  type Difference,
  differenceOf,
  isRate,
  type Spread,
  spreadFrom,
  spreadOf,
  withinValues,
} from "./spread/spread.ts";
export {
  nameSeeds,
  nameSpread,
  partsOf,
  spreadHead,
  spreadMeaning,
  type SpreadParts,
  writeDifference,
  writeFigure,
  writeInterval,
  writeSpread,
  writeSpreadOfSeeds,
  writeTick,
} from "./spread/writeSpread.ts";
export {
  interquartileMean,
  isConstant,
  mean,
  median,
  quantile,
  quantiles,
  sem,
  squaredDeviations,
  std,
  variance,
} from "./summary.ts";
export {
  type Duration,
  kaplanMeier,
  medianSurvival,
  restrictedMean,
  type RestrictedMean,
  type Stratum,
  type SurvivalPoint,
} from "./survival.ts";
export { addOuter, invert } from "./symmetric.ts";
