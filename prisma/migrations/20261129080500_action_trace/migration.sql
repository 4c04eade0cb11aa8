-- CreateTable
CREATE TABLE "action_trace" (
    "run_id" TEXT NOT NULL,
    "iteration" INTEGER NOT NULL,
    "part" TEXT NOT NULL DEFAULT '',
    "unseen" BOOLEAN NOT NULL DEFAULT false,
    "environment" TEXT NOT NULL,
    "tasks" JSONB NOT NULL,

    CONSTRAINT "action_trace_pkey" PRIMARY KEY ("run_id","iteration","part","unseen")
);

-- AddForeignKey
ALTER TABLE "action_trace" ADD CONSTRAINT "action_trace_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE;
