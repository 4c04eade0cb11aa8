-- AlterTable
ALTER TABLE "node_sighting" ADD COLUMN     "processor" JSONB;
