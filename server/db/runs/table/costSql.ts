/** Number of slots of an attempt, from its lease. Recorded ones have none. */
export const slotsOfAttempt = "coalesce(nullif(cardinality(a.devices), 0), s.slots_per_run)";

/**
 * Cost of a run's attempts: slots × hours from an attempt's first line (queueing is excluded) to its end or now × its
 * node's price. NULL if a node has no price, because a partial sum would mislead. NULL also for recorded studies, whose
 * nodes share our names by chance.
 */
export const costSql = `(SELECT CASE WHEN count(*) = count(price) THEN sum(slots * hours * price) END::float8 FROM (
  SELECT greatest(0, extract(epoch FROM coalesce(a.ended_at, CASE WHEN a.live THEN now() END, r.ended_at)
      - to_timestamp((a.started->>'atMs')::float8 / 1000)) / 3600)::float8 AS hours,
    ${slotsOfAttempt} AS slots,
    (n.config->>'pricePerSlotHour')::float8 AS price
  FROM attempt a LEFT JOIN node_sighting n ON n.name = a.node AND s.origin = 'plan' AND a.job_state <> 'elsewhere'
  WHERE a.run_id = r.id AND a.started IS NOT NULL
) AS paid)`;
