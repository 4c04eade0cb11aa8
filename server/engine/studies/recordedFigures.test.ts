// @module-tag soak
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { printResult } from "#server/cli/publish/papers/printResult.ts";
import { parseCsv } from "#packages/statistics/parseCsv.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { isMissing } from "#server/domain/publish/papers/paper.ts";
import { paperItems } from "#server/domain/publish/papers/papers.ts";
import { importStudy } from "./importStudy.ts";

const database = await makeTestDatabase();
const home = await mkdtemp(join(tmpdir(), "arlarena-figures-"));
afterAll(async () => {
  await database.close();
  await rm(home, { recursive: true, force: true });
});

const figures = paperItems.flatMap(({ id, scales: { embedded } }) =>
  isMissing(embedded) || embedded.result.kind !== "figure" || !embedded.recorded
    ? []
    : [{ id, recipe: embedded, studies: embedded.recorded, ...embedded.result }],
);

it("a recorded figure has every curve of every method that it names", { timeout: 300_000 }, async () => {
  expect(figures.length).toBeGreaterThan(0);
  const imported = new Map<string, string[]>();
  for (const study of new Set(figures.flatMap(({ studies }) => studies))) {
    const { sweeps } = await importStudy(database, home, join("studies", `${study}.arlarena`));
    imported.set(
      study,
      sweeps.map(({ id }) => id),
    );
  }
  for (const { id, recipe, studies, metrics, methods } of figures) {
    const sweeps = studies.flatMap((study) => imported.get(study) ?? []);
    const { text } = await printResult({ database, address: undefined }, { id, recipe }, { sweeps, format: "csv" });
    const drawn = new Set(
      parseCsv(text)
        .slice(1)
        .map(({ fields }) => JSON.stringify(fields.slice(0, 4))),
    );
    const cells = await database.prisma.cell.findMany({ where: { sweepId: { in: sweeps } }, select: { method: true } });
    const named = cells.filter(({ method }) => methods?.includes(method) ?? true);
    expect(drawn.size, id).toBe(metrics.length * named.length);
    expect(methods?.filter((name) => !named.some(({ method }) => method === name)) ?? [], id).toEqual([]);
  }
});
