-- AlterTable
ALTER TABLE "sweep" ADD COLUMN     "cancel_at" TIMESTAMPTZ(3),
ADD COLUMN     "cancelled_by" TEXT,
ADD COLUMN     "intent_before" TEXT;

-- AlterTable
ALTER TABLE "run" ADD COLUMN     "cancel_at" TIMESTAMPTZ(3),
ADD COLUMN     "cancelled_by" TEXT,
ADD COLUMN     "intent_before" TEXT;
