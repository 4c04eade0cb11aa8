/**
 * Summary over the seeds of a configuration with its band: mean ± sample standard deviation; mean ± half-width of the
 * 95 % t interval; interquartile mean with a 95 % bootstrap percentile interval; median with quartiles.
 */
export const aggregates = ["std", "interval", "iqm", "median"] as const;
export type Aggregate = (typeof aggregates)[number];
