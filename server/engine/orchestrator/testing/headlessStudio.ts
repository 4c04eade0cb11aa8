import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { migrate } from "#prisma/migrate.ts";
import { type Database, makeDatabase } from "#server/db/storage/client.ts";
import { makePostgres, type Postgres } from "#server/db/embedded/postgres.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { makeLocalLauncher } from "#server/engine/launchers/local.ts";
import { type FakeTrainer, writeFakeTrainer } from "#server/engine/launchers/testing/fakeTrainer.ts";
import { bundleOrchestrator } from "./bundleOrchestrator.ts";
import { expectStoredEqualsLog } from "./expectStoredEqualsLog.ts";

/** Wait in ms until the kernel has released the resources of a killed PostgreSQL. */
const afterKillMs = 500;

type Parts = {
  home: string;
  database: Database & { url: string };
  /** PostgreSQL server of this studio alone; undefined if the studio uses a database of the tests' shared server. */
  postgres: Postgres | undefined;
  orchestrator: string;
  variables: Readonly<Record<string, string>>;
};

/**
 * Studio for tests: database, orchestrator process and fake trainer, with a state folder of its own. The orchestrator
 * can be killed and restarted, and so can a PostgreSQL of its own.
 */
export class HeadlessStudio {
  readonly home: string;
  database: Database;
  readonly url: string;
  #postgres: Postgres | undefined;
  readonly #main: string;
  readonly #variables: Readonly<Record<string, string>>;
  #orchestrator: ChildProcess | undefined;

  private constructor({ home, database, postgres, orchestrator, variables }: Parts) {
    this.home = home;
    this.database = database;
    this.url = database.url;
    this.#postgres = postgres;
    this.#main = orchestrator;
    this.#variables = variables;
  }

  /**
   * Creates a studio without a web app.
   * @param variables further environment variables of the orchestrator, such as its number of slots
   * @param behaviourIn returns the fake trainer's behaviour, given the state folder
   * @param hasPostgres true for a durable PostgreSQL of this studio alone
   */
  static async make(
    variables: Readonly<Record<string, string>>,
    behaviourIn: (home: string) => FakeTrainer,
    hasPostgres = false,
  ): Promise<HeadlessStudio> {
    const home = await mkdtemp(join(tmpdir(), "arlarena-headless-"));
    const postgres = hasPostgres ? await makePostgres({ home, isDurable: true }) : undefined;
    if (postgres) await migrate(postgres.url);
    const database = postgres ? { ...makeDatabase(postgres.url), url: postgres.url } : await makeTestDatabase();
    const own = {
      ARLARENA_HOME: home,
      ARLARENA_NODES: "",
      ARLARENA_TICK_MS: "50",
      ARLARENA_TRAINER_BUNDLE: await writeFakeTrainer(home, behaviourIn(home)),
      DATABASE_URL: database.url,
      ...variables,
    };
    return new HeadlessStudio({ home, database, postgres, orchestrator: await bundleOrchestrator(), variables: own });
  }

  /** Makes a studio with this one's programs and settings on another state folder and database. */
  onCopy({ home, url }: { home: string; url: string }): HeadlessStudio {
    const database = { ...makeDatabase(url), url };
    const variables = { ...this.#variables, ARLARENA_HOME: home, DATABASE_URL: url };
    return new HeadlessStudio({ home, database, postgres: undefined, orchestrator: this.#main, variables });
  }

  startOrchestrator(): ChildProcess {
    const env = { ...process.env, ...this.#variables };
    return (this.#orchestrator ??= spawn(process.execPath, [this.#main], { env, stdio: "ignore" }));
  }

  async killOrchestrator(): Promise<void> {
    const child = this.#orchestrator;
    this.#orchestrator = undefined;
    if (child?.kill("SIGKILL") === true) await once(child, "exit");
  }

  /** Kills the studio's own PostgreSQL with SIGKILL and starts a new one on the same data. */
  async crashPostgres(): Promise<void> {
    if (!this.#postgres) throw new Error("this studio has no PostgreSQL of its own");
    await this.database.close();
    process.kill(this.#postgres.pid, "SIGKILL");
    await sleep(afterKillMs);
    this.#postgres = await makePostgres({ home: this.home, isDurable: true });
    this.database = makeDatabase(this.url);
  }

  /** Waits until `numRuns` runs have finished. A timeout throws the state of every unfinished run. */
  async untilFinished(numRuns: number, withinMs: number): Promise<void> {
    const endMs = Date.now() + withinMs;
    while ((await this.countRuns("finished")) < numRuns) {
      if (Date.now() > endMs) {
        const include = { statusEvents: true, attempts: true };
        const runs = await this.database.prisma.run.findMany({ where: { status: { not: "finished" } }, include });
        const toText = (_: string, value: unknown) => (typeof value === "bigint" ? Number(value) : value);
        throw new Error(JSON.stringify(runs, toText));
      }
      await sleep(200);
    }
  }

  countRuns(status: string): Promise<number> {
    return this.database.prisma.run.count({ where: { status } });
  }

  expectStoredEqualsLog(): Promise<void> {
    const launcher = makeLocalLauncher({ runsFolder: join(this.home, "runs"), command: [] });
    return expectStoredEqualsLog(this.database, launcher);
  }

  async close(): Promise<void> {
    await this.killOrchestrator();
    await this.database.close();
    await this.#postgres?.close();
    if (this.#postgres) await rm(dirname(this.#postgres.dataFolder), { recursive: true, force: true });
    await rm(this.home, { recursive: true, force: true });
  }
}
