import { formatNumber } from "#packages/base";
import { type Interval, writeInterval } from "#packages/statistics";

const points = { shift: 2, decimals: 0 };

/** Formats a difference of rates in whole percentage points and its interval, if there is one: "+21", "[15, 28]". */
export function writePoints(difference: number, interval: Interval): string[] {
  const text = formatNumber(difference, points).replace("-", "−");
  const signed = difference > 0 && text !== "0" ? `+${text}` : text;
  return Number.isFinite(interval.low) ? [signed, writeInterval(interval, points)] : [signed];
}
