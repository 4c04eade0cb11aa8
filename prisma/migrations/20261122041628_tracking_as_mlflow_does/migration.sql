-- AlterTable
ALTER TABLE "metric_block" ADD COLUMN     "times" BYTEA;

-- CreateTable
CREATE TABLE "tracked_experiment_value" (
    "sweep_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "value" TEXT NOT NULL,

    CONSTRAINT "tracked_experiment_value_pkey" PRIMARY KEY ("sweep_id","kind","key")
);

-- AddForeignKey
ALTER TABLE "tracked_experiment_value" ADD CONSTRAINT "tracked_experiment_value_sweep_id_fkey" FOREIGN KEY ("sweep_id") REFERENCES "sweep"("id") ON DELETE CASCADE ON UPDATE CASCADE;
