-- AlterTable
ALTER TABLE "node_sighting" ADD COLUMN     "check" JSONB,
ADD COLUMN     "check_asked_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "sweep" ADD COLUMN     "gpus_per_run" INTEGER;
