/** Slots that an attempt held: those of its lease. Recorded ones have none. */
export const slotsOfAttempt = "coalesce(nullif(cardinality(a.devices), 0), s.slots_per_run)";

/**
 * What a run's attempts cost: slots × hours from an attempt's first line, since a job that waits in a queue has none, to
 * its end or to now × the price of its node. NULL where an attempt's node has no price, since a part of a sum is
 * no sum, and of a recorded study, whose nodes have the names of ours by chance.
 */
export const costSql = `(SELECT CASE WHEN count(*) = count(price) THEN sum(slots * hours * price) END::float8 FROM (
  SELECT greatest(0, extract(epoch FROM coalesce(a.ended_at, CASE WHEN a.live THEN now() END, r.ended_at)
      - to_timestamp((a.started->>'atMs')::float8 / 1000)) / 3600)::float8 AS hours,
    ${slotsOfAttempt} AS slots,
    (n.config->>'pricePerSlotHour')::float8 AS price
  FROM attempt a LEFT JOIN node_sighting n ON n.name = a.node AND s.origin = 'plan' AND a.job_state <> 'elsewhere'
  WHERE a.run_id = r.id AND a.started IS NOT NULL
) AS paid)`;
