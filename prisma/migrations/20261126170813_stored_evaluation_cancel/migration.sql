-- AlterTable
ALTER TABLE "stored_evaluation" ADD COLUMN     "cancel_at" TIMESTAMPTZ(3);
