import { join } from "node:path";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type { Config } from "#server/config/config.ts";
import { healthPath } from "#server/domain/pages.ts";
import { playersFolder } from "./buildApp.ts";
import type { Service } from "./keepRunning.ts";
import { isPacked, packedFolder, root } from "./root.ts";

type WebParts = {
  config: Pick<Config, "host" | "port">;
  address: string;
  buildFolder: string;
  secret: string;
  logs: string;
  shared: Record<string, string>;
};

export function webService({ config, address, buildFolder, secret, logs, shared }: WebParts): Service {
  const { host, port } = config;
  const hosts = [process.env["ARLARENA_HOSTS"], host].filter(Boolean).join(",");
  const players = join(root, buildFolder, playersFolder);
  const preloads = ["passAddress", "refuseUpgrades", "sendBrotli", "gzipCheaply", "refuseBadPaths"].flatMap((name) => {
    return ["--import", pathToFileURL(join(root, `server/start/${name}.mjs`)).href];
  });
  const variables = {
    ARLARENA_BUILD_FOLDER: buildFolder,
    ARLARENA_PLAYERS: players,
    ARLARENA_SESSION_SECRET: secret,
    ARLARENA_HOSTS: hosts,
  };
  return {
    name: "the web app",
    args: [...preloads, findNext(), "start", "-H", host, "-p", String(port)],
    env: { ...shared, ...variables, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" },
    logPath: join(logs, "web.log"),
    probe: { kind: "http", url: `${address}${healthPath}` },
  };
}

/** Returns the program of Next.js, which npm may install beside the package or above it. */
function findNext(): string {
  return createRequire(join(root, "package.json")).resolve("next/dist/bin/next");
}

export function orchestratorService(logs: string, shared: Record<string, string>, bundle?: string): Service {
  return {
    name: "the orchestrator",
    args: isPacked
      ? [join(root, packedFolder, "programs/orchestrator.mjs")]
      : ["--import", import.meta.resolve("tsx"), join(root, "server/engine/orchestrator/main.ts")],
    env: { ...shared, ...(bundle === undefined ? {} : { ARLARENA_TRAINER_BUNDLE: bundle }) },
    logPath: join(logs, "orchestrator.log"),
    probe: { kind: "ping" },
  };
}
