-- One run never has two live attempts, whoever decides and however often.
CREATE UNIQUE INDEX "attempt_live_run_id_key" ON "attempt" ("run_id") WHERE "live";

-- The orchestrator and ingest look for live attempts every half second.
CREATE INDEX "run_unfinished_idx" ON "run" ("sweep_id") WHERE "status" NOT IN ('finished', 'failed', 'cancelled');

-- Counters of a live attempt change twice a second: room on the page keeps those updates out of the indexes.
ALTER TABLE "attempt" SET (fillfactor = 50);
ALTER TABLE "run" SET (fillfactor = 80);

-- Hot rows go once they are compacted. Their space is handed back by the number of dead rows, not by a share of the
-- table, which would let it grow with every run.
ALTER TABLE "metric_row" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- A block fits its row. Trying to compress noise costs time and gains nothing.
ALTER TABLE "metric_block" ALTER COLUMN "values" SET STORAGE EXTERNAL;
