-- CreateTable
CREATE TABLE "stop_decision" (
    "run_id" TEXT NOT NULL,
    "stop" BOOLEAN NOT NULL,
    "iteration" INTEGER NOT NULL,
    "text" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "stop_decision_pkey" PRIMARY KEY ("run_id")
);

-- AddForeignKey
ALTER TABLE "stop_decision" ADD CONSTRAINT "stop_decision_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE;
