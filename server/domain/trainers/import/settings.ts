import { parse } from "yaml";
import { z } from "zod";
import { badInput } from "#packages/base";
import { guessIdentity, type Identity, unnamedEnvironment } from "./guessIdentity.ts";
import { findMlflowSetting } from "./nameFile.ts";

/** Settings of a run, flattened with dots. */
export type Settings = Readonly<Record<string, string>>;

/** Reads a file with a run's settings: YAML, JSON, or Hydra's list of overrides (`- seed=0`). */
export function readSettings(fileName: string, text: string): Settings {
  const own = findMlflowSetting(fileName);
  if (own !== undefined) return { [own]: text.trim() };
  let content: unknown;
  try {
    // Numbers stay as written.
    content = parse(text, { schema: "failsafe", maxAliasCount: 100 });
  } catch (cause) {
    throw badInput([{ path: fileName, message: cause instanceof Error ? cause.message : String(cause) }]);
  }
  return Object.fromEntries(Array.isArray(content) ? content.flatMap(readOverride) : flatten("", content));
}

function readOverride(one: unknown): [string, string][] {
  const [, key, value] = (typeof one === "string" && /^\+{0,2}([^=]+)=(.*)$/s.exec(one)) || [];
  return key === undefined || value === undefined ? [] : [[key, value]];
}

function flatten(prefix: string, content: unknown): [string, string][] {
  // W&B writes each setting as `{ value: … }`.
  if (typeof content === "string") return [[prefix.replace(/\.value$/, ""), content]];
  const found = z.record(z.string(), z.unknown()).safeParse(content);
  if (!found.success) return [];
  return Object.entries(found.data).flatMap(([key, value]) => flatten(prefix === "" ? key : `${prefix}.${key}`, value));
}

/** Joins the settings that lie beside a log: those in its folder and in the folders above, the nearest last. */
export function joinSettings(files: readonly { fileName: string; settings: Settings }[], path: string): Settings {
  const placed = files.map(({ fileName, settings }) => ({ settings, folder: folderOf(fileName) }));
  const above = placed.filter(({ folder }) => path.replaceAll("\\", "/").startsWith(folder));
  return Object.assign({}, ...above.toSorted((a, b) => a.folder.length - b.folder.length).map((one) => one.settings));
}

function folderOf(fileName: string): string {
  return fileName
    .replaceAll("\\", "/")
    .replace(/[^/]*$/, "")
    .replace(/(^|\/)\.hydra\/$|(?<=[0-9a-f]{32}\/)(?:params|tags)\/.*$/, "$1");
}

export function findSeed(settings: Settings): number | undefined {
  const seeds = Object.entries(settings).filter(
    ([key, value]) => /(^|[._])seed$/i.test(key) && /^\d{1,9}$/.test(value),
  );
  const [first] = seeds.toSorted(([a], [b]) => a.length - b.length);
  return first && Number(first[1]);
}

const methodKey = /(^|\.)(algo|algorithm|method|adv_estimator|loss_type)(\.name|_name)?$/i;
const environmentKey = /(^|\.)(env|environment|task|dataset)(\.name|\.id|_name|_id)?$/i;

export function guessFromSettings(settings: Settings): Pick<Identity, "method" | "environment"> {
  const find = (pattern: RegExp) => Object.entries(settings).find(([key]) => pattern.test(key))?.[1] ?? "";
  const environment = find(environmentKey);
  const known = guessIdentity(environment).environment;
  const isName = known === unnamedEnvironment && /^[A-Za-z][\w.-]{1,60}$/.test(environment);
  return { method: guessIdentity(find(methodKey)).method, environment: isName ? environment : known };
}

/** True for a short setting that may distinguish configurations, unlike seeds, places, names and times. */
export function isTelling(key: string, value: string): boolean {
  return value.length <= 40 && !/seed|dir|path|file|name|id$|time|date|host|port|url|save|log|device|rank/i.test(key);
}
