-- AlterTable
ALTER TABLE "node_sighting" ADD COLUMN     "disk_free_bytes" DOUBLE PRECISION,
ADD COLUMN     "disk_total_bytes" DOUBLE PRECISION,
ADD COLUMN     "is_disk_full" BOOLEAN NOT NULL DEFAULT false;
