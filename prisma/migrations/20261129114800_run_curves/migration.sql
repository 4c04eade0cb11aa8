-- AlterTable
ALTER TABLE "run" ADD COLUMN     "curves" TEXT;
