import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { readAlerts, readBudgets, readTrainers } from "#server/config/yamlFile.ts";
import { readConfig } from "#server/config/config.ts";
import { makeLogger } from "#server/config/logger.ts";
import { makePricing } from "#server/config/nodePrice.ts";
import { readNodes } from "#server/config/nodes.ts";
import { readSecrets } from "#server/config/secrets.ts";
import { type AttemptPaths, resolveTemplate } from "#packages/trainers";
import { checkTrainer, fillVersions } from "#server/domain/fleet/nodes/check.ts";
import { Node } from "#server/domain/fleet/nodes/node.ts";
import { makeLauncher } from "#server/engine/launchers/registry.ts";
import type { Bundle } from "#server/engine/launchers/ssh/ship.ts";
import { packagesFolder } from "#server/engine/wheels/fetchPackages.ts";
import { enginesFolder, isPacked } from "#server/start/root.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { checkProgram, type NodeVersions } from "./checkNodes.ts";
import { orchestrate } from "./orchestrate.ts";

/** Runs and observes all jobs. SIGTERM or SIGINT ends the process; the next orchestrator finds its jobs again. */
const { databaseUrl, home, trainerBundle, graceMs, tickMs } = readConfig();
if (databaseUrl === undefined) throw new Error("DATABASE_URL is not set: the orchestrator starts no database");

const EngineVersion = z.object({ version: z.string() });

const stop = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => stop.abort());

const logger = makeLogger("orchestrator");
const configured = readNodes(home);
const bundle = configured.some(({ kind }) => kind !== "local") ? await prepareBundle() : undefined;
const site = {
  home,
  trainer: trainer(trainerBundle),
  bundle,
  readSecrets: (names: readonly string[]) => readSecrets({ home }, names),
};
const versions: NodeVersions = new Map();
const adapter = await findAdapter();
const manage = (node: Node) => ({ node, launcher: makeLauncher(node, { ...site, external: external(node) }) });
const nodes = configured.map(manage);
const checks = { templates: () => readTrainers(home), versions, runsFolder: join(home, "runs") };
const files = { alerts: () => readAlerts(home), budgets: () => readBudgets(home), priced: makePricing(home) };
// This machine can evaluate every policy, as other nodes' files are copied here; policies trained on Ray only here.
const studio = Node.parse({ kind: "local", name: "studio", slots: { per: "core", count: 1 } });
const evaluator = configured.some(({ kind }) => kind === "local") ? {} : { evaluator: manage(studio) };
await orchestrate(
  { databaseUrl, nodes, graceMs, tickMs, checks, ...evaluator, ...files, log: logger.info },
  stop.signal,
);

// Bundles the trainer and its tools. The orchestrator does this only if a node needs the bundle.
async function prepareBundle(): Promise<Bundle | undefined> {
  const [{ bundleTrainer }, { bundleTools }] = await Promise.all([
    import("#server/start/bundleTrainer.ts"),
    import("#server/start/bundleTools.ts"),
  ]);
  const path = trainerBundle ?? (await bundleTrainer(home));
  if (path === undefined) return undefined;
  const versionOf = async (name: string): Promise<string> => {
    const { version } = EngineVersion.parse(
      JSON.parse(await readFile(join(enginesFolder, name, "package.json"), "utf8")),
    );
    return `${name}-${version}`;
  };
  const versions = await Promise.all(["onnxruntime-node", "pyodide"].map(versionOf));
  return {
    trainer: path,
    agent: await bundleTools(home),
    nodeModules: enginesFolder,
    engineVersion: versions.join("-"),
  };
}

// The templates are read at every launch, so that a change applies from the next attempt on.
function external({ name }: Node) {
  const resolve = (spec: RunSpec, paths: AttemptPaths) => {
    const templates = readTrainers(home);
    if (spec.trainer?.name === checkTrainer) return checkProgram(templates, paths);
    const found = versions.get(name);
    return resolveTemplate(found ? fillVersions(templates, [found]) : templates, spec, paths);
  };
  return { command: adapter, resolve };
}

// A package has the adapter as one file. Its copy in the state folder survives an upgrade while jobs run.
async function findAdapter(): Promise<string[]> {
  if (isPacked) {
    const { bundleTools } = await import("#server/start/bundleTools.ts");
    return [process.execPath, join(dirname(await bundleTools(home)), "adapter.mjs")];
  }
  const source = fileURLToPath(new URL("../adapter/main.ts", import.meta.url));
  return [process.execPath, "--import", import.meta.resolve("tsx"), source];
}

// The bundle's folder is named after its content, and the first line of every log contains that name.
function trainer(bundle: string | undefined) {
  // All runs share the cache of compiled graphs.
  const shared = { ARLARENA_GRAPH_CACHE: join(home, "graphs"), ARLARENA_PYTHON_PACKAGES: packagesFolder(home) };
  if (bundle !== undefined) {
    const environment = { ARLARENA_TRAINER_HASH: basename(dirname(bundle)), ...shared };
    return { command: [process.execPath, bundle], environment };
  }
  const source = fileURLToPath(new URL("../../../trainer/run/main.ts", import.meta.url));
  const command = [process.execPath, "--import", import.meta.resolve("tsx"), source];
  return { command, environment: shared };
}
