-- AlterTable
ALTER TABLE "sweep" ADD COLUMN     "imported_at" TIMESTAMPTZ(3);

-- Sweeps that were imported earlier: recorded studies, by the history of their runs, and other trainers' files.
UPDATE "sweep" SET "imported_at" = found.at FROM (
  SELECT r.sweep_id, max(e.at) AS at FROM "status_event" e JOIN "run" r ON r.id = e.run_id
  WHERE e.source = 'user' AND e.text = 'imported from a recorded study' GROUP BY r.sweep_id
) AS found WHERE found.sweep_id = "sweep".id;
UPDATE "sweep" SET "imported_at" = "created_at" WHERE "origin" = 'import' AND "imported_at" IS NULL;

-- Their rules may have queued runs that no person asked for: these wait until a person resumes the sweep.
UPDATE "sweep" SET "intent" = 'pause' WHERE "origin" = 'plan' AND "intent" = 'run'
  AND EXISTS (SELECT FROM "run" r WHERE r.sweep_id = "sweep".id AND r.status = 'pending')
  AND ("imported_at" IS NOT NULL OR "plan"->'base'->'initialisation'->>'run' IN (
    SELECT r.id FROM "run" r JOIN "sweep" s ON s.id = r.sweep_id JOIN "status_event" e ON e.run_id = r.id
    WHERE s.imported_at IS NOT NULL AND e.source = 'rescue'));
