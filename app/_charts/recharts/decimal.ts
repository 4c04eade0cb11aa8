/**
 * Stands in browsers for what recharts chooses round ticks by (next.config.ts): our axes give their ticks and ask for none
 * with `niceTicks: "none"`, so it is never made.
 */
export default function Decimal(): never {
  throw new Error('an axis without niceTicks="none": recharts is loaded without decimal.js-light');
}
