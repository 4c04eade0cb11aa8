import { createHash } from "node:crypto";
import { existsSync, lstatSync, readFileSync, readdirSync, readlinkSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { ModelOrigin } from "#trainer/spec/event.ts";
import { readPretrained } from "#trainer/spec/policy.ts";
import { fetchModel, findInCache, type FetchedModel, type HubCache } from "./fetchModel.ts";
import { fingerprintModel, type Fingerprint } from "./fingerprint.ts";
import type { Checksum } from "./listing.ts";
import { readHubSettings } from "./settings.ts";

/** Pretrained model on this machine, with its source as recorded in a run's log. */
export type FoundModel = { readonly folder: string; readonly origin: ModelOrigin };

export type Finding = {
  /** Commit with which the run started, used on resume instead of the branch's current commit. */
  readonly commit?: string | undefined;
  /** Folder in which checksums of model files are cached. */
  readonly cacheFolder?: string | undefined;
  readonly say: (text: string) => void;
};

/** Folder of the model named in `policy.pretrained`; a hub's model is downloaded first. */
export async function findModel(pretrained: string, { commit, cacheFolder, say }: Finding): Promise<FoundModel> {
  const named = readPretrained(pretrained);
  if (named.kind === "folder") {
    const folder = resolve(named.path);
    if (!existsSync(folder)) throw new Error(`policy.pretrained: there is no folder ${folder} on this node`);
    const { sha256 } = await fingerprintModel(folder, cacheFolder);
    return { folder, origin: { name: pretrained, sha256 } };
  }
  const fetched = await fetchModel({ ...named, revision: commit ?? named.revision }, readHubSettings(), { say });
  const fingerprint = await fingerprintModel(fetched.folder, cacheFolder);
  checkFiles(fetched, fingerprint);
  return { folder: fetched.folder, origin: { name: pretrained, commit: fetched.commit, sha256: fingerprint.sha256 } };
}

/** Returns the folder that `pretrained` names, existing or not; for a hub model, its cache, undefined if incomplete. */
export function findFolder(pretrained: string, hub: HubCache = readHubSettings()): string | undefined {
  const named = readPretrained(pretrained);
  return named.kind === "folder" ? resolve(named.path) : findInCache(named, hub);
}

/** Hub models that are completely cached here, at the last known commit of their main branch. */
export function listCached(): string[] {
  const settings = readHubSettings();
  const folders = existsSync(settings.cacheFolder) ? readdirSync(settings.cacheFolder) : [];
  return folders.flatMap((folder) => {
    const name = /^models--([^-].*?)--(.+)$/.exec(folder)?.slice(1).join("/");
    return name !== undefined && findInCache({ name, revision: "main" }, settings) !== undefined ? [name] : [];
  });
}

/** Throws if cached model files do not match the checksums of the Hugging Face hub. */
function checkFiles({ folder, listing }: FetchedModel, { files }: Fingerprint): void {
  for (const [name, sha256] of files) {
    const path = join(folder, name);
    const expected = listing?.get(name)?.checksum ?? checksumOfLink(path);
    if (!expected) continue;
    const found = expected.kind === "sha256" ? sha256 : gitBlobOf(path);
    if (found !== expected.hex) {
      throw new Error(
        `policy.pretrained: ${path} has the checksum ${found}, the hub says ${expected.hex}; without it and what it points to, it is fetched again`,
      );
    }
  }
}

/** Returns the checksum that names the file to which a link at `path` points; undefined for another file. */
function checksumOfLink(path: string): Checksum | undefined {
  if (!lstatSync(path).isSymbolicLink()) return undefined;
  const hex = basename(readlinkSync(path));
  if (/^[0-9a-f]{64}$/.test(hex)) return { kind: "sha256", hex };
  return /^[0-9a-f]{40}$/.test(hex) ? { kind: "gitBlob", hex } : undefined;
}

function gitBlobOf(path: string): string {
  const content = readFileSync(path);
  return createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
}
