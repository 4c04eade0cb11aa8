-- Branches and starts are found by the run that they began from.
CREATE INDEX "cell_origin_idx" ON "cell" ((spec->'initialisation'->>'run')) WHERE spec->'initialisation' ? 'run';
