/**
 * Replaces recharts' decimal library in browsers (next.config.ts). recharts only needs it to choose ticks, and our axes give theirs (`niceTicks:
 * "none"`).
 */
export default function Decimal(): never {
  throw new Error('an axis without niceTicks="none": recharts is loaded without decimal.js-light');
}
