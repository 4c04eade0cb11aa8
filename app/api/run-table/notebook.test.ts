import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { createApiToken } from "#server/db/people/apiTokens.ts";
import { readSeries } from "#server/db/runs/points.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { groupBy } from "#packages/base";
import { importStudy } from "#server/engine/studies/importStudy.ts";
import { listen } from "../testing/listen.ts";
import { startServices, stopServices } from "../testing/services.ts";
import { GET } from "../v1/[...path]/route.ts";
import { POST } from "./route.ts";

const python = process.env["ARLARENA_NOTEBOOK_PYTHON"];
const metric = "policy/klReference";

it.skipIf(!python)(
  "the notebook makes Figure 3 from Parquet, by the means of the stored curves (skipped unless ARLARENA_NOTEBOOK_PYTHON names a Python that has nbclient, duckdb, polars, pandas, pyarrow, matplotlib and requests)",
  async () => {
    const database = await makeTestDatabase();
    const home = await mkdtemp(join(tmpdir(), "arlarena-notebook-"));
    process.env["ARLARENA_HOME"] = home;
    startServices(database.url);
    const { sweeps } = await importStudy(database, home, "studies/table3-sokoban.arlarena");
    const { url, close } = await listen(async ({ method = "GET", url: sent = "", headers }, content) => {
      const { authorization = "", "content-type": type = "" } = headers;
      const body = method === "GET" ? {} : { body: content };
      const request = new Request(`${url}${sent}`, {
        method,
        headers: { authorization, "content-type": type },
        ...body,
      });
      const path = (sent.split("?")[0] ?? "").replace(/^\/api\/v1\//, "").split("/");
      return sent.startsWith("/api/run-table")
        ? POST(request, { params: Promise.resolve({}) })
        : GET(request, { params: Promise.resolve({ path }) });
    });
    try {
      const token = await createApiToken(database, { name: "notebook", scopes: ["read"] });
      const env = {
        ...process.env,
        ARLARENA_API: `${url}/api/v1`,
        ARLARENA_TOKEN: token,
        ARLARENA_SWEEP: sweeps[0]?.name,
      };
      const script = join(import.meta.dirname, "testing/runNotebook.py");
      const notebook = join(process.cwd(), "docs/examples/figure3.ipynb");
      const { stdout } = await promisify(execFile)(python ?? "", [script, notebook, metric], { env, cwd: home });
      const made = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as Record<string, [number, number][]>;
      expect(made).toEqual(await meansOf(database));
      const png = await readFile(join(home, "figure3.png"));
      expect(png.subarray(1, 4).toString()).toBe("PNG");
      expect(png.length).toBeGreaterThan(50_000);
    } finally {
      close();
      delete process.env["ARLARENA_HOME"];
      await stopServices();
      await database.close();
      await rm(home, { recursive: true, force: true });
    }
  },
);

/** Reads iteration and mean over seeds, by method. */
async function meansOf({ pool, prisma }: Awaited<ReturnType<typeof makeTestDatabase>>) {
  const runs = await prisma.run.findMany({ select: { id: true, cell: { select: { method: true } } } });
  const methodOf = new Map(runs.map(({ id, cell }) => [id, cell.method]));
  const series = await readSeries(pool, { runIds: [...methodOf.keys()], keys: [metric] });
  const points = series.flatMap(({ runId, iterations, values }) =>
    [...iterations].map((iteration, i) => ({ method: methodOf.get(runId) ?? "", iteration, value: values[i] ?? NaN })),
  );
  const methods = groupBy(
    points.filter(({ value }) => Number.isFinite(value)),
    ({ method }) => method,
  );
  return Object.fromEntries(
    [...methods].map(([method, ofMethod]) => {
      const curve = groupBy(ofMethod, ({ iteration }) => iteration);
      const means = [...curve].map(([iteration, seeds]) => {
        const mean = seeds.reduce((sum, { value }) => sum + value, 0) / seeds.length;
        return [iteration, expect.closeTo(mean, 10)];
      });
      return [method, means.sort(([a], [b]) => Number(a) - Number(b))];
    }),
  );
}
