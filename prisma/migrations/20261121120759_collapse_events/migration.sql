-- CreateTable
CREATE TABLE "detection" (
    "run_id" TEXT NOT NULL,
    "detector_version" TEXT NOT NULL,
    "attempt_id" INTEGER NOT NULL,
    "memory" JSONB,
    "status" TEXT NOT NULL,
    "index" DOUBLE PRECISION,
    "iteration" INTEGER NOT NULL,
    "num_steps" INTEGER NOT NULL,
    "changes" JSONB NOT NULL,
    "keys" TEXT[],
    "hindsight" JSONB,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "detection_pkey" PRIMARY KEY ("run_id")
);

-- CreateTable
CREATE TABLE "collapse_event" (
    "id" SERIAL NOT NULL,
    "run_id" TEXT NOT NULL,
    "attempt_id" INTEGER NOT NULL,
    "iteration" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "severity" TEXT NOT NULL,
    "detector_version" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "evidence" JSONB NOT NULL,
    "verdict" TEXT,
    "note" TEXT NOT NULL DEFAULT '',
    "judged_at" TIMESTAMPTZ(3),
    "seen_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "collapse_event_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "collapse_event_severity_id_idx" ON "collapse_event"("severity", "id");

-- CreateIndex
CREATE UNIQUE INDEX "collapse_event_run_id_detector_version_iteration_kind_sever_key" ON "collapse_event"("run_id", "detector_version", "iteration", "kind", "severity", "message");

-- AddForeignKey
ALTER TABLE "detection" ADD CONSTRAINT "detection_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "collapse_event" ADD CONSTRAINT "collapse_event_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE;
