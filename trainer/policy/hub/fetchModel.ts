import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, statfsSync, symlinkSync } from "node:fs";
import { copyFile, link, rename } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { dirname, join, relative } from "node:path";
import { getRepoFolderName, modelInfo } from "@huggingface/hub";
import { indexFile, modelFiles, readIndex, singleFile } from "../llama/safetensors.ts";
import { fetchBlob, usualPatience, type Patience } from "./fetchBlob.ts";
import { isDiskFull } from "#trainer/spec/diskFull.ts";
import { fetchBy, fetchListing, readListing, type ListedFile, type Listing } from "./listing.ts";
import { makeAsk, Unreached, type Ask, HubError } from "./request.ts";
import type { HubSettings } from "./settings.ts";
import { writeWhole } from "../writeWhole.ts";

/** Folder in which a machine caches models of the Hugging Face hub. */
export type HubCache = Pick<HubSettings, "cacheFolder">;

export type HubModel = { readonly name: string; readonly revision: string };

export type FetchedModel = {
  /** Folder that contains the model's files under their original names, as the transformers library reads them. */
  readonly folder: string;
  readonly commit: string;
  readonly listing: Listing | undefined;
};

/** Files without which no model can be read. The hub's list of files names further files of a model. */
const requiredFiles = ["config.json", "tokenizer.json", "tokenizer_config.json"];

type Say = (text: string) => void;
type Hub = { readonly settings: HubSettings; readonly ask: Ask; readonly patience: Patience; readonly say: Say };
type Place = { readonly name: string; readonly revision: string; readonly store: string };

/**
 * Returns the folder of a model of the Hugging Face hub. Missing files are downloaded into the machine's cache. A
 * branch is resolved to its current commit or, if the hub is unreachable, to its last known commit.
 */
export async function fetchModel(
  model: HubModel,
  settings: HubSettings,
  { say, patience = usualPatience }: { say: Say; patience?: Patience },
): Promise<FetchedModel> {
  const place = { ...model, store: storeOf(model.name, settings.cacheFolder) };
  const hub = { settings, ask: makeAsk(settings, patience.stallMs), patience, say };
  try {
    if (settings.isOffline) throw new Unreached("HF_HUB_OFFLINE is set");
    return await fetchWhole(place, hub);
  } catch (error) {
    const cached = error instanceof Unreached ? findCached(place) : undefined;
    if (!cached) throw explain(error, place, settings);
    if (!isCommit(model.revision)) {
      const reason = error instanceof Error ? error.message : "";
      say(
        `${settings.endpoint} was not asked (${reason}): ${model.revision} of ${model.name} is the cached ${cached.commit}`,
      );
    }
    return cached;
  }
}

/** Returns the folder of a completely cached model, or undefined; makes no request. */
export function findInCache({ name, revision }: HubModel, { cacheFolder }: HubCache): string | undefined {
  return findCached({ name, revision, store: storeOf(name, cacheFolder) })?.folder;
}

function storeOf(name: string, cacheFolder: string): string {
  return join(cacheFolder, getRepoFolderName({ type: "model", name }));
}

function isCommit(revision: string): boolean {
  return /^[0-9a-f]{40}$/.test(revision);
}

/** Returns the folder after downloading missing files. A completely cached commit needs no request. */
async function fetchWhole(place: Place, hub: Hub): Promise<FetchedModel> {
  const { name, revision, store } = place;
  const { endpoint } = hub.settings;
  const commit = isCommit(revision) ? revision : await resolve(place, hub);
  const listing =
    readListing(store, commit) ?? (await fetchListing(store, { name, commit }, { endpoint, ask: hub.ask }));
  const folder = join(store, "snapshots", commit);
  const at = { ...place, commit, folder, listing };
  const hasIndex = !listing.has(singleFile) && listing.has(indexFile);
  const first = modelFiles.filter((file) => listing.has(file));
  await fetchFiles(hasIndex ? [...first, indexFile] : first, at, hub);
  await fetchFiles(hasIndex ? readIndex(join(folder, indexFile)) : [singleFile], at, hub);
  if (!isCommit(revision)) writeRef(place, commit);
  return { folder, commit, listing };
}

async function resolve({ name, revision }: Place, { settings, ask }: Hub): Promise<string> {
  const asked = { name, revision, hubUrl: settings.endpoint, additionalFields: ["sha" as const] };
  const { sha } = await modelInfo({ ...asked, fetch: fetchBy(ask) });
  if (!isCommit(sha)) throw new Error(`${settings.endpoint} names no commit of ${name}: ${sha}`);
  return sha;
}

type At = Place & { readonly commit: string; readonly folder: string; readonly listing: Listing };

async function fetchFiles(names: readonly string[], at: At, { settings, ask, patience, say }: Hub): Promise<void> {
  const { name, commit, folder, store } = at;
  const lacking = names.filter((file) => !existsSync(join(folder, file)));
  const blobs = lacking.map((file) => {
    const listed = find(file, at);
    const url = `${settings.endpoint}/${name}/resolve/${commit}/${file}`;
    return { ...listed, name: file, url, path: join(store, "blobs", listed.checksum.hex) };
  });
  const fresh = blobs.filter(({ path }) => !existsSync(path));
  const numBytes = fresh.reduce((total, { bytes }) => total + bytes, 0);
  mkdirSync(join(store, "blobs"), { recursive: true });
  checkRoom(numBytes, at);
  if (numBytes > 1e6)
    say(`fetching ${fresh.length} files of ${name} at ${commit}, ${megabytes(numBytes)}, into ${store}`);
  for (const blob of blobs) {
    await fetchBlob(blob, { ask, patience });
    await show(blob.path, join(folder, blob.name));
  }
}

function find(file: string, { listing, name, commit }: At): ListedFile {
  const listed = listing.get(file);
  if (listed) return listed;
  const others = [...listing.keys()].filter((path) => /\.(bin|pt|pth|gguf|safetensors)$/.test(path));
  const has = others.length === 0 ? "" : `; it has ${others.slice(0, 3).join(", ")}`;
  throw new Error(`${name} has no ${file} at ${commit}${has}`);
}

function checkRoom(numBytes: number, { store, name }: At): void {
  const { bavail, bsize } = statfsSync(store);
  if (numBytes <= bavail * bsize) return;
  throw new Error(
    `${name} needs ${megabytes(numBytes)} more in ${store}, where only ${megabytes(bavail * bsize)} are free`,
  );
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6).toLocaleString("en")} MB`;
}

/** Adds a file to the commit's folder: a link like huggingface_hub's, or a copy if links are not supported. */
async function show(blob: string, path: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  // After the cache was emptied, the path may be a link to a missing file.
  if (!existsSync(path) && lstatSync(path, { throwIfNoEntry: false })) rmSync(path, { force: true });
  try {
    symlinkSync(relative(dirname(path), blob), path);
  } catch {
    if (existsSync(path)) return;
    const draft = `${path}.${randomUUID()}.tmp`;
    await link(blob, draft).catch(() => copyFile(blob, draft));
    await rename(draft, path);
  }
}

const refPath = ({ store, revision }: Place): string => join(store, "refs", ...revision.split("/"));

function writeRef(place: Place, commit: string): void {
  if (readRef(place) !== commit) writeWhole(refPath(place), commit);
}

function readRef(place: Place): string | undefined {
  return existsSync(refPath(place)) ? readFileSync(refPath(place), "utf8").trim() : undefined;
}

/** Finds a completely downloaded model in the cache, which other programs also use. */
function findCached(place: Place): FetchedModel | undefined {
  const commit = isCommit(place.revision) ? place.revision : readRef(place);
  if (commit === undefined) return undefined;
  const folder = join(place.store, "snapshots", commit);
  const listing = readListing(place.store, commit);
  const isThere = (file: string): boolean => existsSync(join(folder, file));
  const expected = listing ? modelFiles.filter((file) => listing.has(file)) : requiredFiles;
  const weights = isThere(singleFile)
    ? [singleFile]
    : isThere(indexFile)
      ? readIndex(join(folder, indexFile))
      : [singleFile];
  return [...expected, ...weights].every(isThere) ? { folder, commit, listing } : undefined;
}

/** Turns a download error into a message for the author of a training specification, which states how to fix it. */
function explain(error: unknown, asked: Place, settings: HubSettings): Error {
  const reason = error instanceof Error ? error.message : String(error);
  const text = error instanceof HubError ? refused(error, asked, settings) : (other(error, asked, settings) ?? reason);
  return new Error(`policy.pretrained: ${text}`, { cause: error });
}

function refused(
  { status, code, message }: HubError,
  { name, revision }: Place,
  { endpoint, token }: HubSettings,
): string {
  const account = token ? "the account of this node's HF_TOKEN has no access to it" : "this node has no HF_TOKEN";
  if (code === "GatedRepo" || status === 403) {
    return `${name} is gated: its owners give access at ${endpoint}/${name}; ${token ? "the account of this node's HF_TOKEN has no access" : account} (${message})`;
  }
  if (code === "RevisionNotFound") return `${name} has no revision "${revision}" (${message})`;
  if (status === 401 || status === 404) {
    return `${endpoint} has no public model "${name}": ${account} (${message})`;
  }
  return `${endpoint} refuses ${name}: ${message}`;
}

function other(error: unknown, { name, revision, store }: Place, { endpoint }: HubSettings): string | undefined {
  if (error instanceof Unreached) {
    return `${endpoint} cannot be reached from this node (${error.message}), and ${store} does not contain all files of ${name}@${revision}`;
  }
  if (isDiskFull(error)) return `no space is left in ${store} for ${name}`;
  return undefined;
}
