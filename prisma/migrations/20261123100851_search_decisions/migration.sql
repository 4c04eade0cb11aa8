-- CreateTable
CREATE TABLE "decision" (
    "sweep_id" TEXT NOT NULL,
    "arm" INTEGER NOT NULL,
    "number" INTEGER NOT NULL,
    "known" INTEGER[],
    "running" INTEGER[],
    "point" JSONB NOT NULL,
    "reason" TEXT NOT NULL,
    "cell_id" INTEGER,
    "outcome" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "decision_pkey" PRIMARY KEY ("sweep_id","arm","number")
);

-- CreateIndex
CREATE INDEX "decision_cell_id_idx" ON "decision"("cell_id");

-- AddForeignKey
ALTER TABLE "decision" ADD CONSTRAINT "decision_sweep_id_fkey" FOREIGN KEY ("sweep_id") REFERENCES "sweep"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "decision" ADD CONSTRAINT "decision_cell_id_fkey" FOREIGN KEY ("cell_id") REFERENCES "cell"("id") ON DELETE CASCADE ON UPDATE CASCADE;
