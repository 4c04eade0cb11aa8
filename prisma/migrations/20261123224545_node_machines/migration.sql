-- AlterTable
ALTER TABLE "node_sighting" ADD COLUMN     "machines" JSONB;
