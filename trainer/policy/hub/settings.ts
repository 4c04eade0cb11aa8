import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { getHFHubCachePath } from "@huggingface/hub";

/** The hub's address, access token and cache folder, as Python's huggingface_hub uses them here. */
export type HubSettings = {
  readonly endpoint: string;
  readonly token?: string;
  readonly isOffline: boolean;
  readonly cacheFolder: string;
  readonly hasProxy: boolean;
};

/** Reads the hub's settings from the environment variables and the token file of huggingface_hub. */
export function readHubSettings(): HubSettings {
  const token = readToken();
  const proxies = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"];
  return {
    endpoint: (process.env["HF_ENDPOINT"] || "https://huggingface.co").replace(/\/+$/, ""),
    ...(token && { token }),
    isOffline: isTrue(process.env["HF_HUB_OFFLINE"] || process.env["TRANSFORMERS_OFFLINE"]),
    cacheFolder: withHome(getHFHubCachePath()),
    hasProxy: proxies.some((name) => Boolean(process.env[name])),
  };
}

function readToken(): string | undefined {
  const given = process.env["HF_TOKEN"];
  if (given) return given.trim();
  const cache = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
  const home = withHome(process.env["HF_HOME"] || join(cache, "huggingface"));
  const path = withHome(process.env["HF_TOKEN_PATH"] || join(home, "token"));
  return existsSync(path) ? readFileSync(path, "utf8").trim() : undefined;
}

function isTrue(text: string | undefined): boolean {
  return ["1", "on", "yes", "true"].includes((text ?? "").toLowerCase());
}

function withHome(path: string): string {
  return path.replace(/^~(?=$|[/\\])/, homedir());
}
