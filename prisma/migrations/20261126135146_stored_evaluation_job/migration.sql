-- AlterTable
ALTER TABLE "stored_evaluation" ADD COLUMN     "devices" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "job_id" TEXT,
ADD COLUMN     "node" TEXT,
ADD COLUMN     "note" TEXT,
ADD COLUMN     "started_at" TIMESTAMPTZ(3),
ADD COLUMN     "tries" INTEGER NOT NULL DEFAULT 0;

-- Evaluations were no jobs before: none of them is left running.
UPDATE "stored_evaluation" SET "state" = 'waiting' WHERE "state" = 'running';
