-- The tokens that there are go on: they write runs.
ALTER TABLE "tracking_token" RENAME TO "api_token";
ALTER TABLE "api_token" RENAME CONSTRAINT "tracking_token_pkey" TO "api_token_pkey";
ALTER TABLE "api_token" ADD COLUMN "scopes" TEXT[], ADD COLUMN "expires_at" TIMESTAMPTZ(3);
UPDATE "api_token" SET "scopes" = '{track}';

-- CreateTable
CREATE TABLE "keyed_request" (
    "token_hash" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "status" INTEGER,
    "answer" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "keyed_request_pkey" PRIMARY KEY ("token_hash","key")
);

-- CreateIndex
CREATE INDEX "keyed_request_created_at_idx" ON "keyed_request"("created_at");
