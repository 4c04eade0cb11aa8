import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { readSeries } from "#server/db/runs/points.ts";
import { createApiToken } from "#server/db/people/apiTokens.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { startServices, stopServices } from "../../testing/services.ts";
import { serveRoutes } from "./testing/serveRoutes.ts";

/** Python command with the package `mlflow` (or `mlflow-skinny`); the test is skipped if it is not set. */
const python = process.env["ARLARENA_MLFLOW_PYTHON"];

it.skipIf(!python)(
  "Python's MLflow client streams a run in (skipped unless ARLARENA_MLFLOW_PYTHON names a Python that has mlflow)",
  async () => {
    const database = await makeTestDatabase();
    const home = await mkdtemp(join(tmpdir(), "arlarena-mlflow-client-"));
    process.env["ARLARENA_HOME"] = home;
    startServices(database.url);
    const { url, asked, close } = await serveRoutes();
    try {
      const token = await createApiToken(database, { name: "client", scopes: ["track"] });
      const script = join(import.meta.dirname, "testing/client.py");
      const env = { ...process.env, MLFLOW_TRACKING_TOKEN: token, MLFLOW_HTTP_REQUEST_MAX_RETRIES: "1" };
      const { stdout } = await promisify(execFile)(python ?? "", [script, url], { env });
      const said: unknown = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
      expect(said, asked.join("\n")).toMatchObject({
        status: "FINISHED",
        params: 120,
        phase: "late",
        gradNorm: "inf",
        history: 31,
        found: ["grpo_sokoban_seed2"],
        problem: "RESOURCE_DOES_NOT_EXIST",
      });
      const alone = { ...env, MLFLOW_TRACKING_URI: url };
      const plain = await promisify(execFile)(python ?? "", [join(import.meta.dirname, "testing/environment.py")], {
        env: alone,
      });
      expect(JSON.parse(plain.stdout.trimEnd().split("\n").at(-1) ?? ""), asked.join("\n")).toMatchObject({
        listed: [["model/notes ü.txt", 4]],
        text: "kept",
      });
      const runId = (said as { run: string }).run;
      const [kl, norm] = await readSeries(database.pool, {
        runIds: [runId],
        keys: ["policy/klOld", "update/gradientNorm"],
      });
      expect(kl?.values).toHaveLength(31);
      expect([...(norm?.values ?? [])]).toEqual([NaN, Infinity]);
    } finally {
      close();
      delete process.env["ARLARENA_HOME"];
      await stopServices();
      await database.close();
      await rm(home, { recursive: true, force: true });
    }
  },
);
