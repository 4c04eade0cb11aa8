-- CreateTable
CREATE TABLE "search_limit" (
    "id" SERIAL NOT NULL,
    "sweep_id" TEXT NOT NULL,
    "arm" INTEGER NOT NULL,
    "step" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "trials" INTEGER NOT NULL,
    "reason" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "search_limit_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "search_limit_sweep_id_arm_step_key" ON "search_limit"("sweep_id", "arm", "step");

-- AddForeignKey
ALTER TABLE "search_limit" ADD CONSTRAINT "search_limit_sweep_id_fkey" FOREIGN KEY ("sweep_id") REFERENCES "sweep"("id") ON DELETE CASCADE ON UPDATE CASCADE;
