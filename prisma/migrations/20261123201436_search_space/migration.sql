-- AlterTable
ALTER TABLE "search_limit" ADD COLUMN     "space" JSONB;
