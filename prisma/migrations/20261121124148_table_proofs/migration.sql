-- CreateTable
CREATE TABLE "table_proof" (
    "hash" TEXT NOT NULL,
    "query" JSONB NOT NULL,
    "code" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "table_proof_pkey" PRIMARY KEY ("hash")
);
