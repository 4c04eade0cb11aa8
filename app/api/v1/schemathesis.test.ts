import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import type { Database } from "#server/db/storage/client.ts";
import { createApiToken } from "#server/db/people/apiTokens.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { importStudy } from "#server/engine/studies/importStudy.ts";
import { answerApi } from "../testing/answerApi.ts";
import { startServices, stopServices } from "../testing/services.ts";
import { listen } from "../testing/listen.ts";

/** Command of the program `schemathesis` (PyPI); the test is skipped if it is not set. */
const program = process.env["ARLARENA_SCHEMATHESIS"];
/**
 * Number of generated cases per operation, besides those planned by the document, and regular expressions for the tested
 * operations and for those without planned cases.
 */
const {
  SCHEMATHESIS_EXAMPLES: numExamples = "10",
  SCHEMATHESIS_PATHS: paths = "^/v1/",
  SCHEMATHESIS_UNPLANNED: unplanned = "^$",
} = process.env;

it.skipIf(!program)(
  "schemathesis finds nothing that the document does not say (skipped unless ARLARENA_SCHEMATHESIS names the program)",
  { timeout: 3_600_000 },
  async () => {
    const database = await makeTestDatabase();
    const home = await mkdtemp(join(tmpdir(), "arlarena-rest-"));
    process.env["ARLARENA_HOME"] = home;
    startServices(database.url);
    const { sweeps } = await importStudy(database, home, "studies/laboratory/screen-methods-lag-16.arlarena");
    await writeFile(join(home, "schemathesis.toml"), await configOf(database, sweeps[0]?.id ?? ""));
    await writeFile(join(home, "hooks.py"), hooks);
    const { url, asked, close } = await listen(async (incoming, content) => {
      // Next.js routes do not have these two methods, and a Request refuses them.
      if (["TRACE", "CONNECT"].includes(incoming.method ?? ""))
        return new Response(null, { status: 405, headers: { allow: "GET, POST" } });
      // A key that two requests share gets the second one refused before its input is read.
      const key = incoming.headers["idempotency-key"];
      if (typeof key === "string" && /^[!-~]{1,200}$/.test(key)) incoming.headers["idempotency-key"] = randomUUID();
      return answerApi(incoming, content);
    });
    try {
      // The check that valid inputs are accepted is omitted, because inputs that no schema can describe, such as
      // unknown field names, are refused too.
      const token = await createApiToken(database, { name: "test", scopes: ["read", "write"] });
      const words = `--config-file schemathesis.toml run ${process.cwd()}/public/schema/openapi.json --url ${url}/api
        --seed 1 --continue-on-failure --generation-database none --no-color
        --exclude-checks positive_data_acceptance --include-path-regex ${paths} --header`;
      const asks = [...words.split(/\s+/), `Authorization: Bearer ${token}`];
      const run = promisify(execFile)(program ?? "", asks, { maxBuffer: 64 * 1024 * 1024, cwd: home });
      const { stdout, failed } = await run.then(
        (done) => ({ stdout: done.stdout, failed: false }),
        (error: unknown) => ({ stdout: (error as { stdout: string }).stdout, failed: true }),
      );
      console.log(stdout.slice(-6000));
      expect(asked.length).toBeGreaterThan(500);
      // Requests that a conflict ends early test nothing.
      expect(asked.filter((line) => line.startsWith("409")).length).toBeLessThan(asked.length / 20);
      expect(failed, stdout).toBe(false);
    } finally {
      close();
      delete process.env["ARLARENA_HOME"];
      await stopServices();
      await database.close();
      await rm(home, { recursive: true, force: true });
    }
  },
);

/** An unknown parameter with an empty value leaves no trace in a URL, so the request that arrives is valid. */
const hooks = `import schemathesis

@schemathesis.hook
def filter_case(context, case):
    return not any(value is None or value in ([], {}) for value in (case.query or {}).values())
`;

/** Ids that exist, for operations that read: unknown ids would be refused early. */
async function configOf({ prisma }: Pick<Database, "prisma">, sweepId: string): Promise<string> {
  const run = await prisma.run.findFirstOrThrow({ select: { id: true }, orderBy: { id: "asc" } });
  return [
    `hooks = "hooks.py"`,
    // The limit allows for opening recorded studies and replaying long episodes.
    "request-timeout = 120",
    `generation.max-examples = ${numExamples}`,
    `parameters = { sweepId = "${sweepId}", runId = "${run.id}", sweepIds = ["${sweepId}"] }`,
    // An array with too many items may exceed the limit of a request's size, which is checked first (413).
    "[checks.negative_data_rejection]",
    'expected-statuses = ["400", "401", "403", "404", "405", "406", "409", "413", "415", "422", "428", "429", "5xx"]',
    "[[operations]]",
    `include-path-regex = "${unplanned}"`,
    "phases.coverage.enabled = false",
    "generation.max-examples = 50",
    ...Object.entries({ sweep: sweepId, run: run.id }).flatMap(([group, id]) => [
      "[[operations]]",
      `include-path-regex = "^/v1/${group}/"`,
      'include-method = "GET"',
      `parameters = { id = "${id}" }`,
    ]),
    "",
  ].join("\n");
}
