-- AlterTable
ALTER TABLE "run" ADD COLUMN     "imported_cell_id" INTEGER,
ADD COLUMN     "imported_seed" INTEGER;

-- CreateIndex
CREATE INDEX "run_imported_cell_id_idx" ON "run"("imported_cell_id");

-- AddForeignKey
ALTER TABLE "run" ADD CONSTRAINT "run_imported_cell_id_fkey" FOREIGN KEY ("imported_cell_id") REFERENCES "cell"("id") ON DELETE CASCADE ON UPDATE CASCADE;
