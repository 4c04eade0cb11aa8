-- AlterTable
ALTER TABLE "api_token" ADD COLUMN     "made_by" TEXT;

-- CreateTable
CREATE TABLE "removed_person" (
    "name_key" TEXT NOT NULL,
    "removed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "removed_person_pkey" PRIMARY KEY ("name_key")
);
