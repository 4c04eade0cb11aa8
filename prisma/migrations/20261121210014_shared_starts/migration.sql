-- AlterTable
ALTER TABLE "cell" ADD COLUMN     "start_hash" TEXT;
