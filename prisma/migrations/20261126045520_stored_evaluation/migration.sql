-- CreateTable
CREATE TABLE "stored_evaluation" (
    "id" SERIAL NOT NULL,
    "run_id" TEXT NOT NULL,
    "evaluation" JSONB NOT NULL,
    "iteration" INTEGER,
    "state" TEXT NOT NULL DEFAULT 'waiting',
    "result" JSONB,
    "problem" TEXT,
    "asked_by" TEXT,
    "asked_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "stored_evaluation_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "stored_evaluation_run_id_idx" ON "stored_evaluation"("run_id");

-- CreateIndex
CREATE INDEX "stored_evaluation_state_idx" ON "stored_evaluation"("state");

-- AddForeignKey
ALTER TABLE "stored_evaluation" ADD CONSTRAINT "stored_evaluation_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE;
