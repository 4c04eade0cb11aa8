-- AlterTable
ALTER TABLE "run" ADD COLUMN     "archived_at" TIMESTAMPTZ(3),
ADD COLUMN     "note" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "summarised_to" TEXT,
ADD COLUMN     "tags" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- CreateTable
CREATE TABLE "metric_summary" (
    "metric_id" INTEGER NOT NULL,
    "run_id" TEXT NOT NULL,
    "final" DOUBLE PRECISION,
    "best" DOUBLE PRECISION,
    "last" DOUBLE PRECISION,

    CONSTRAINT "metric_summary_pkey" PRIMARY KEY ("metric_id","run_id")
);

-- CreateTable
CREATE TABLE "run_view" (
    "name" TEXT NOT NULL,
    "query" TEXT NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "run_view_pkey" PRIMARY KEY ("name")
);

-- CreateIndex
CREATE INDEX "metric_summary_run_id_idx" ON "metric_summary"("run_id");

-- AddForeignKey
ALTER TABLE "metric_summary" ADD CONSTRAINT "metric_summary_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE;
