export { AppError, type AppErrorCode, assertNever, badInput, formatIssue, type InputIssue } from "./errors.ts";
export {
  decimalsFor,
  formatBytes,
  formatCount,
  formatDuration,
  formatHyperparameter,
  formatNumber,
  formatP,
  tellP,
  formatPrice,
  formatSetting,
  formatTick,
  formatValue,
  lowerFirst,
  nameUnit,
  type NumberFormat,
} from "./formatFigures.ts";
export { finish, type Interruptible } from "./interruptible.ts";
export { dropAt, groupBy, hasAt, isTree, readAt, setAt, type Tree } from "./path.ts";
export { quoteArgument, readWords } from "./words.ts";
export {
  contradictScales,
  findScaledRates,
  makeScaleWatch,
  rateKeys,
  type RateScale,
  sayScale,
  toShares,
} from "./rateScale.ts";
export { makeSizedCache, type SizedCache } from "./sizedCache.ts";
export { findUnstorable, refuseUnstorable } from "./storable.ts";
export { packLines, unpackLines } from "./packedLines.ts";
export { makeTurns, type Owners, type Turns } from "./turns.ts";
export { type DistributiveOmit, fromWire, shareOnWire, toWire, toWireOnce } from "./wire.ts";
