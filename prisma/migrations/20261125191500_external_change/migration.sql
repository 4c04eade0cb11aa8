-- CreateTable
CREATE TABLE "external_change" (
    "id" SERIAL NOT NULL,
    "run_id" TEXT NOT NULL,
    "iteration" INTEGER NOT NULL,
    "source" TEXT NOT NULL,
    "text" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "external_change_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "external_change_run_id_iteration_source_key" ON "external_change"("run_id", "iteration", "source");

-- AddForeignKey
ALTER TABLE "external_change" ADD CONSTRAINT "external_change_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE;
