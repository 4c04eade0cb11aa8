-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "sweep" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "plan" JSONB NOT NULL,
    "plan_hash" TEXT NOT NULL,
    "intent" TEXT NOT NULL DEFAULT 'run',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sweep_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "cell" (
    "id" SERIAL NOT NULL,
    "sweep_id" TEXT NOT NULL,
    "index" INTEGER NOT NULL,
    "method" TEXT NOT NULL,
    "label" TEXT NOT NULL,
    "spec" JSONB NOT NULL,
    "spec_hash" TEXT NOT NULL,

    CONSTRAINT "cell_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "run" (
    "id" TEXT NOT NULL,
    "sweep_id" TEXT NOT NULL,
    "cell_id" INTEGER NOT NULL,
    "seed" INTEGER NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "reason" TEXT,
    "intent" TEXT NOT NULL DEFAULT 'run',
    "max_attempts" INTEGER NOT NULL DEFAULT 1,
    "latest_iteration" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "run_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "attempt" (
    "id" SERIAL NOT NULL,
    "run_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "job_id" TEXT NOT NULL,
    "node" TEXT NOT NULL,
    "folder" TEXT NOT NULL,
    "live" BOOLEAN NOT NULL DEFAULT true,
    "job_state" TEXT NOT NULL DEFAULT 'submitted',
    "exit_code" INTEGER,
    "log_offset" BIGINT NOT NULL DEFAULT 0,
    "last_seq" INTEGER NOT NULL DEFAULT -1,
    "num_metric_lines" INTEGER NOT NULL DEFAULT 0,
    "num_rejected" INTEGER NOT NULL DEFAULT 0,
    "started" JSONB,
    "done" JSONB,
    "last_event_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "attempt_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "rejected_line" (
    "attempt_id" INTEGER NOT NULL,
    "offset" BIGINT NOT NULL,
    "text" TEXT NOT NULL,
    "problem" TEXT NOT NULL,

    CONSTRAINT "rejected_line_pkey" PRIMARY KEY ("attempt_id","offset")
);

-- CreateTable
CREATE TABLE "metric_name" (
    "id" SERIAL NOT NULL,
    "key" TEXT NOT NULL,

    CONSTRAINT "metric_name_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "metric_row" (
    "attempt_id" INTEGER NOT NULL,
    "seq" INTEGER NOT NULL,
    "iteration" INTEGER NOT NULL,
    "optimizer_step" INTEGER NOT NULL,
    "at_ms" DOUBLE PRECISION NOT NULL,
    "metric_ids" INTEGER[],
    "values" DOUBLE PRECISION[],

    CONSTRAINT "metric_row_pkey" PRIMARY KEY ("attempt_id","seq")
);

-- CreateTable
CREATE TABLE "metric_block" (
    "attempt_id" INTEGER NOT NULL,
    "metric_id" INTEGER NOT NULL,
    "first_seq" INTEGER NOT NULL,
    "last_seq" INTEGER NOT NULL,
    "first_iteration" INTEGER NOT NULL,
    "last_iteration" INTEGER NOT NULL,
    "num_points" INTEGER NOT NULL,
    "iterations" BYTEA,
    "values" BYTEA NOT NULL,

    CONSTRAINT "metric_block_pkey" PRIMARY KEY ("attempt_id","metric_id","first_seq")
);

-- CreateTable
CREATE TABLE "status_event" (
    "id" SERIAL NOT NULL,
    "run_id" TEXT NOT NULL,
    "attempt" INTEGER,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "source" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "reason" TEXT,
    "text" TEXT NOT NULL,

    CONSTRAINT "status_event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "orchestrator_heartbeat" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "pid" INTEGER NOT NULL,
    "slots" INTEGER NOT NULL,
    "slots_used" INTEGER NOT NULL,

    CONSTRAINT "orchestrator_heartbeat_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sign_in_token" (
    "token_hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "sign_in_token_pkey" PRIMARY KEY ("token_hash")
);

-- CreateIndex
CREATE UNIQUE INDEX "cell_sweep_id_index_key" ON "cell"("sweep_id", "index");

-- CreateIndex
CREATE INDEX "run_sweep_id_idx" ON "run"("sweep_id");

-- CreateIndex
CREATE UNIQUE INDEX "run_cell_id_seed_key" ON "run"("cell_id", "seed");

-- CreateIndex
CREATE UNIQUE INDEX "attempt_job_id_key" ON "attempt"("job_id");

-- CreateIndex
CREATE UNIQUE INDEX "attempt_run_id_number_key" ON "attempt"("run_id", "number");

-- CreateIndex
CREATE UNIQUE INDEX "metric_name_key_key" ON "metric_name"("key");

-- CreateIndex
CREATE INDEX "status_event_run_id_id_idx" ON "status_event"("run_id", "id");

-- AddForeignKey
ALTER TABLE "cell" ADD CONSTRAINT "cell_sweep_id_fkey" FOREIGN KEY ("sweep_id") REFERENCES "sweep"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "run" ADD CONSTRAINT "run_sweep_id_fkey" FOREIGN KEY ("sweep_id") REFERENCES "sweep"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "run" ADD CONSTRAINT "run_cell_id_fkey" FOREIGN KEY ("cell_id") REFERENCES "cell"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "attempt" ADD CONSTRAINT "attempt_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "rejected_line" ADD CONSTRAINT "rejected_line_attempt_id_fkey" FOREIGN KEY ("attempt_id") REFERENCES "attempt"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "status_event" ADD CONSTRAINT "status_event_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- By hand: no two live attempts of a run, ever.
CREATE UNIQUE INDEX "attempt_run_id_live_key" ON "attempt"("run_id") WHERE "live";
