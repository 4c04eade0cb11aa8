import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { migrate } from "#prisma/migrate.ts";
import { type Database, makeDatabase } from "#server/db/storage/client.ts";
import { makePostgres, type Postgres } from "#server/db/embedded/postgres.ts";
import { makeLocalLauncher } from "#server/engine/launchers/local.ts";
import { type FakeTrainer, writeFakeTrainer } from "#server/engine/launchers/testing/fakeTrainer.ts";
import { expectStoredEqualsLog } from "./expectStoredEqualsLog.ts";

const main = fileURLToPath(new URL("../main.ts", import.meta.url));
/** Time until the kernel has released the resources of a killed PostgreSQL. */
const afterKillMs = 500;

type Parts = {
  home: string;
  postgres: Postgres;
  trainer: string;
  variables: Readonly<Record<string, string>>;
};

/**
 * A studio without pages: a durable PostgreSQL, an orchestrator process and the fake trainer, in its own state folder.
 * Each part can be killed and restarted.
 */
export class HeadlessStudio {
  readonly home: string;
  database: Database;
  #postgres: Postgres;
  readonly #variables: Readonly<Record<string, string>>;
  #orchestrator: ChildProcess | undefined;

  private constructor(parts: Parts) {
    this.home = parts.home;
    this.#postgres = parts.postgres;
    this.#variables = {
      ARLARENA_HOME: parts.home,
      ARLARENA_NODES: "",
      ARLARENA_TRAINER_BUNDLE: parts.trainer,
      ...parts.variables,
    };
    this.database = makeDatabase(parts.postgres.url);
  }

  /**
   * @param variables further environment variables of the orchestrator, such as its slots @param behaviourIn behaviour
   * of the trainer, given the state folder
   */
  static async make(
    variables: Readonly<Record<string, string>>,
    behaviourIn: (home: string) => FakeTrainer,
  ): Promise<HeadlessStudio> {
    const home = await mkdtemp(join(tmpdir(), "arlarena-headless-"));
    const postgres = await makePostgres({ home, isDurable: true });
    await migrate(postgres.url);
    const trainer = await writeFakeTrainer(home, behaviourIn(home));
    return new HeadlessStudio({ home, postgres, trainer, variables });
  }

  /** Address of its database. */
  get url(): string {
    return this.#postgres.url;
  }

  /** Does nothing if one is running. */
  startOrchestrator(): ChildProcess {
    const env = { ...process.env, ...this.#variables, DATABASE_URL: this.#postgres.url };
    const args = ["--import", import.meta.resolve("tsx"), main];
    return (this.#orchestrator ??= spawn(process.execPath, args, { env, stdio: "ignore" }));
  }

  /** kill -9; jobs continue. */
  async killOrchestrator(): Promise<void> {
    const child = this.#orchestrator;
    this.#orchestrator = undefined;
    if (child?.kill("SIGKILL") === true) await once(child, "exit");
  }

  /** kill -9 of PostgreSQL, then a new one on the same data. */
  async crashPostgres(): Promise<void> {
    await this.database.close();
    process.kill(this.#postgres.pid, "SIGKILL");
    await sleep(afterKillMs);
    this.#postgres = await makePostgres({ home: this.home, isDurable: true });
    this.database = makeDatabase(this.#postgres.url);
  }

  /** Throws the state of every run if some do not finish in time. */
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
    await this.#postgres.close();
    await rm(this.home, { recursive: true, force: true });
  }
}
