-- AlterTable
ALTER TABLE "run" ADD COLUMN     "added_at" TIMESTAMPTZ(3);

-- Runs that were added before say so in their history alone.
UPDATE "run" SET "added_at" = "said"."at"
FROM (
  SELECT "run_id", min("at") AS "at" FROM "status_event"
  WHERE "source" = 'user' AND "text" ~ '^seed \d+ added$' GROUP BY "run_id"
) AS "said"
WHERE "said"."run_id" = "run"."id";
