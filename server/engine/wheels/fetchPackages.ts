import { createHash, randomUUID } from "node:crypto";
import { mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { AppError } from "#packages/base";
import type { EnvironmentSpec } from "#trainer/spec/environment.ts";
import { packagesOf } from "#trainer/spec/environmentParts.ts";
import { type PythonPackage, type Wheel, wheelsOf } from "#trainer/spec/environments/pythonPackages.ts";

export function packagesFolder(home: string): string {
  return join(home, "python");
}

/**
 * Downloads missing wheels to the state folder, before anything needs them. Returns the folder.
 * @throws `unavailable` if a wheel cannot be downloaded, with package, address and advice.
 */
export async function fetchPackages(home: string, packages: readonly PythonPackage[]): Promise<string> {
  const folder = packagesFolder(home);
  // All runs of a sweep request the same wheel at the same time, so they share one download.
  for (const wheel of wheelsOf(packages)) {
    const path = join(folder, wheel.file);
    const task = running.get(path) ?? bring(wheel, folder).finally(() => running.delete(path));
    running.set(path, task);
    await task;
  }
  return folder;
}

/** Downloads a plan's packages before it is frozen, so that a missing network leaves nothing to clean up. */
export async function fetchPlanned(home: string, environments: readonly EnvironmentSpec[]): Promise<string> {
  return fetchPackages(home, [...new Set(environments.flatMap(packagesOf))]);
}

const running = new Map<string, Promise<void>>();

async function bring(wheel: Wheel, folder: string): Promise<void> {
  const path = join(folder, wheel.file);
  if (await isWhole(path, wheel)) return;
  const { bytes, address } = await fetchWheel(wheel, folder);
  const found = checksumOf(bytes);
  if (found !== wheel.sha256)
    throw new AppError(
      "unavailable",
      `Python package ${wheel.project}: ${address} has the checksum ${found} instead of ${wheel.sha256}`,
    );
  try {
    await mkdir(folder, { recursive: true });
    const draft = `${path}.${randomUUID()}`;
    await writeFile(draft, bytes);
    await rename(draft, path);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new AppError(
      "unavailable",
      `Python package ${wheel.project}: ${wheel.file} cannot be kept in ${folder} (${reason}). Make that a folder that the studio can write to`,
      { cause },
    );
  }
}

/** Verified wheels by path. The playground checks wheels at every turn, so an unchanged file is not read again. */
const whole = new Map<string, string>();

async function isWhole(path: string, { sha256 }: Wheel): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined) return false;
  const version = [stats.ino, stats.size, stats.mtimeMs, sha256].join(" ");
  if (whole.get(path) === version) return true;
  const bytes = await readFile(path).catch(() => undefined);
  if (bytes === undefined || checksumOf(bytes) !== sha256) return false;
  whole.set(path, version);
  return true;
}

function checksumOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

const publicIndex = "https://pypi.org/simple";
const timeoutMs = 120_000;

/** List of a project's files in a package index, as JSON (PEP 691). Older indexes respond in HTML (PEP 503). */
const Project = z.object({ files: z.array(z.object({ filename: z.string(), url: z.string() })) });

/** Downloads a wheel from `PIP_INDEX_URL` or PyPI. `folder`: where a user may put it by hand, for the message. */
export async function fetchWheel(
  { project, file }: Wheel,
  folder: string,
): Promise<{ bytes: Uint8Array; address: string }> {
  const index = (process.env["PIP_INDEX_URL"] || publicIndex).replace(/\/+$/, "");
  let address = `${index}/${project}/`;
  try {
    const page = await ask(address, index);
    const isJson = page.headers.get("content-type")?.includes("json") ?? false;
    const text = await page.text();
    const url = isJson ? findInJson(text, file) : findInHtml(text, file);
    if (url === undefined) throw new Error(`there is no ${file}`);
    address = new URL(url, page.url).href;
    const wheel = await ask(address, index);
    return { bytes: new Uint8Array(await wheel.arrayBuffer()), address };
  } catch (cause) {
    throw new AppError(
      "unavailable",
      `Python package ${project} cannot be fetched from ${withoutPassword(address)} (${reasonOf(cause)}). Set PIP_INDEX_URL to an index that this machine reaches, or put ${file} into ${folder}`,
      { cause },
    );
  }
}

/** Sends a request. Credentials in the index's URL go into a header, because `fetch` refuses them in a URL. */
async function ask(address: string, index: string): Promise<Response> {
  const [url, { origin, username, password }] = [new URL(address), new URL(index)];
  const headers = new Headers({ accept: "application/vnd.pypi.simple.v1+json, text/html;q=0.5, */*;q=0.1" });
  if ((username !== "" || password !== "") && url.origin === origin) {
    const account = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    headers.set("authorization", `Basic ${Buffer.from(account).toString("base64")}`);
    [url.username, url.password] = ["", ""];
  }
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(timeoutMs) });
  if (!response.ok) throw new Error(`it answered ${response.status} ${response.statusText}`.trim());
  return response;
}

function findInJson(text: string, file: string): string | undefined {
  return Project.parse(JSON.parse(text)).files.find(({ filename }) => filename === file)?.url;
}

function findInHtml(text: string, file: string): string | undefined {
  const links = text.matchAll(/<a\s[^>]*?href="([^"]*)"[^>]*>\s*([^<]*?)\s*<\/a>/gi);
  for (const [, href, name] of links) if (name === file) return href?.replaceAll("&amp;", "&");
  return undefined;
}

function withoutPassword(address: string): string {
  return address.replace(/\/\/[^/@]*@/, "//");
}

/** Returns an error's message. For a failed connection, Node.js hides the useful message in `cause`. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
