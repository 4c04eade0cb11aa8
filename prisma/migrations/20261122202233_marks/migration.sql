-- AlterTable
ALTER TABLE "sweep" ADD COLUMN     "archived_at" TIMESTAMPTZ(3),
ADD COLUMN     "baseline_cell" INTEGER,
ADD COLUMN     "is_favourite" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "note" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "tags" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "run" ADD COLUMN     "is_favourite" BOOLEAN NOT NULL DEFAULT false;
