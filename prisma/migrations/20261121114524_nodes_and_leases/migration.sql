-- AlterTable
ALTER TABLE "sweep" ADD COLUMN     "labels" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "priority_minutes" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "slots_per_run" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "run" ADD COLUMN     "avoid_nodes" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "not_before" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "attempt" ADD COLUMN     "devices" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[];

-- CreateTable
CREATE TABLE "node_sighting" (
    "name" TEXT NOT NULL,
    "config" JSONB NOT NULL,
    "is_configured" BOOLEAN NOT NULL DEFAULT true,
    "last_contact_at" TIMESTAMPTZ(3),
    "problem" TEXT,
    "gpus" JSONB,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "node_sighting_pkey" PRIMARY KEY ("name")
);
