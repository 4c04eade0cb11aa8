-- AlterTable
ALTER TABLE "decision" ADD COLUMN     "outcome_step" INTEGER,
ADD COLUMN     "step" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "trial_rung" (
    "sweep_id" TEXT NOT NULL,
    "arm" INTEGER NOT NULL,
    "number" INTEGER NOT NULL,
    "rung" INTEGER NOT NULL,
    "losses" DOUBLE PRECISION[],
    "step" INTEGER NOT NULL,
    "verdict" TEXT,
    "verdict_step" INTEGER,
    "known" INTEGER[],
    "reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "decided_at" TIMESTAMPTZ(3),

    CONSTRAINT "trial_rung_pkey" PRIMARY KEY ("sweep_id","arm","number","rung")
);

-- AddForeignKey
ALTER TABLE "trial_rung" ADD CONSTRAINT "trial_rung_sweep_id_arm_number_fkey" FOREIGN KEY ("sweep_id", "arm", "number") REFERENCES "decision"("sweep_id", "arm", "number") ON DELETE CASCADE ON UPDATE CASCADE;
