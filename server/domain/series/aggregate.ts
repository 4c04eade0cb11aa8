/**
 * What stands for the seeds of a configuration, and what its band is: mean ± sample standard deviation, mean ± half-width of
 * the 95 % t interval, interquartile mean with the 95 % percentile interval of its bootstrap over seeds, median with quartiles.
 */
export const aggregates = ["std", "interval", "iqm", "median"] as const;
export type Aggregate = (typeof aggregates)[number];
