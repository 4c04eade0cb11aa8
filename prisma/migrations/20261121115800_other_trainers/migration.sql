-- AlterTable
ALTER TABLE "sweep" ADD COLUMN     "origin" TEXT NOT NULL DEFAULT 'plan';

-- CreateTable
CREATE TABLE "metric_alias" (
    "run_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "original" TEXT NOT NULL,

    CONSTRAINT "metric_alias_pkey" PRIMARY KEY ("run_id","key")
);

-- CreateTable
CREATE TABLE "imported_file" (
    "hash" TEXT NOT NULL,
    "sweep_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "format" TEXT NOT NULL,
    "size_bytes" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "imported_file_pkey" PRIMARY KEY ("hash")
);

-- CreateTable
CREATE TABLE "tracking_token" (
    "token_hash" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "tracking_token_pkey" PRIMARY KEY ("token_hash")
);

-- CreateTable
CREATE TABLE "tracked_value" (
    "run_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "value" TEXT NOT NULL,

    CONSTRAINT "tracked_value_pkey" PRIMARY KEY ("run_id","kind","key")
);

-- AddForeignKey
ALTER TABLE "metric_alias" ADD CONSTRAINT "metric_alias_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "imported_file" ADD CONSTRAINT "imported_file_sweep_id_fkey" FOREIGN KEY ("sweep_id") REFERENCES "sweep"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tracked_value" ADD CONSTRAINT "tracked_value_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE;
