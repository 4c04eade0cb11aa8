-- CreateTable
CREATE TABLE "sweep_view" (
    "sweep_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "query" TEXT NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sweep_view_pkey" PRIMARY KEY ("sweep_id","name")
);

-- AddForeignKey
ALTER TABLE "sweep_view" ADD CONSTRAINT "sweep_view_sweep_id_fkey" FOREIGN KEY ("sweep_id") REFERENCES "sweep"("id") ON DELETE CASCADE ON UPDATE CASCADE;
