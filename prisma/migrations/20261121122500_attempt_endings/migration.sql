-- AlterTable
ALTER TABLE "attempt" ADD COLUMN     "aftermath" JSONB,
ADD COLUMN     "host" TEXT,
ADD COLUMN     "job_text" TEXT,
ADD COLUMN     "reason" TEXT;
