import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Config } from "#server/config/config.ts";
import { playersFolder } from "./buildApp.ts";
import type { Service } from "./keepRunning.ts";
import { root } from "./root.ts";

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
  const preloads = ["passAddress", "refuseUpgrades", "sendBrotli", "refuseBadPaths"].flatMap((name) => {
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
    args: [...preloads, "node_modules/next/dist/bin/next", "start", "-H", host, "-p", String(port)],
    env: { ...shared, ...variables, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" },
    logPath: join(logs, "web.log"),
    probe: { kind: "http", url: `${address}/sign-in` },
  };
}

export function orchestratorService(logs: string, shared: Record<string, string>, bundle?: string): Service {
  return {
    name: "the orchestrator",
    args: ["--import", import.meta.resolve("tsx"), join(root, "server/engine/orchestrator/main.ts")],
    env: { ...shared, ...(bundle === undefined ? {} : { ARLARENA_TRAINER_BUNDLE: bundle }) },
    logPath: join(logs, "orchestrator.log"),
    probe: { kind: "ping" },
  };
}
