import { groupBy } from "#packages/base";
import { guessDetail, guessIdentity, type Identity, isKnownMethod, unnamedEnvironment } from "./guessIdentity.ts";
import { partsOf } from "./nameFile.ts";
import { findSeed, guessFromSettings, isTelling, type Settings } from "./settings.ts";

/** A run's name, the path of its first file, the settings in files beside it, and those in its own file. */
type Source = {
  name: string;
  path: string | undefined;
  settings: Settings;
  config: Settings;
  hasAttempts: boolean;
};

/** Folders that say nothing about a run; a number may be its seed. */
const numbered = /^(?:version|run|job|trial|rep|repeat|replicate|fold)?[-_ ]?(\d{1,4})$/i;
const silent =
  /^(?:\.|imported|results?|runs?|multirun|out|outputs?|experiments?|mlruns|sacred|[0-9a-f]{32}|lightning_logs|csv_logs|dvclive|train(?:ing|er)?|val(?:idation)?|eval(?:uation)?|logs?|files|tensorboard|tb|wandb|checkpoints?|rollouts|rollout_data|(?:checkpoint-|global_step_)\d+|[\d\W_]+)$/i;

/**
 * Guesses method, environment and seed of each run from its whole path and its settings. What varies over the runs
 * distinguishes them: runs that would have the same method, environment and seed get further words in their methods.
 */
export function identifyRuns(sources: readonly Source[]): Identity[] {
  // A seed that several runs share is their program's default.
  const seeds = new Set(sources.map(({ config }) => findSeed(config)));
  const named = sources.map((one) => ({
    ...one,
    name: one.settings["mlflow.runName"] ?? one.name,
    config: sources.length === 1 || seeds.size > 1 ? one.config : omitSeeds(one.config),
  }));
  const read = named.map((source) => ({ ...source, folders: foldersOf(source), told: tell(source) }));
  const isCommon = makeIsCommon(read.map(({ folders }) => methodsOf(folders)));
  const isTold = makeIsCommon(read.map(({ told }) => told));
  // A search's jobs have their own hyperparameters, so that their numbers are no seeds.
  const isSearch = read.some(({ told }) => !told.every(isTold));
  const numCommon = countCommon(read.map(({ folders }) => folders));
  const inFolder = groupBy(read, ({ folders }) => folders.join("/"));
  const identities = read.map((one) => {
    const isAlone = inFolder.get(one.folders.join("/"))?.length === 1;
    return guessFrom({ ...one, numCommon, isAlone, isNumbered: !isSearch && !one.hasAttempts }, isCommon);
  });
  const indices = groupBy([...identities.keys()], (i) => `${identities[i]?.method}\n${identities[i]?.environment}`);
  for (const group of indices.values()) {
    const runs = group.flatMap((i) => (read[i] && identities[i] ? [{ run: read[i], identity: identities[i] }] : []));
    for (const [at, identity] of tellApart(runs).entries()) identities[group[at] ?? 0] = identity;
  }
  return identities;
}

/** Gives runs of one method and environment seeds from the ends of their names, or further words in their methods. */
function tellApart(group: readonly { run: Read; identity: Identity }[]): Identity[] {
  const identities = group.map(({ identity }) => identity);
  const seeds = identities.map(({ seed }) => seed);
  const numbers = group.map(({ run }) => numberAtEnd(run.name));
  const isUnseeded = seeds.every((seed) => seed === undefined) && isKnownMethod(identities[0]?.method ?? "");
  if (isUnseeded && !numbers.includes(undefined) && new Set(numbers).size === group.length) {
    return identities.map((identity, at) => ({ ...identity, seed: numbers[at] }));
  }
  if (new Set(seeds).size === group.length) return identities;
  const words = group.map(({ run }) => describe(run, !seeds.includes(undefined)));
  const isShared = makeIsCommon(words);
  return identities.map((identity, at) => {
    const extra = words[at]?.filter((word) => word !== identity.method && !isShared(word)) ?? [];
    return { ...identity, method: [identity.method, ...extra].join(" ").slice(0, 200) };
  });
}

/** Makes a function that returns true for a word that all lists contain. */
function makeIsCommon(lists: readonly (readonly string[])[]): (word: string) => boolean {
  const counts = new Map<string, number>();
  for (const list of lists) for (const word of new Set(list)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return (word) => counts.get(word) === lists.length;
}

/** Returns the folders of a run's path, nearest first. A file that is named by a number counts as one. */
function foldersOf({ path = "" }: Source): string[] {
  const parts = partsOf(path);
  const stem = stemOf(parts.at(-1) ?? "");
  return [...parts.slice(0, -1), ...(numbered.test(stem) ? [stem] : [])].toReversed();
}

/** Counts the outermost folders that all runs share, whose numbers are no seeds; 0 for a single run. */
function countCommon(lists: readonly (readonly string[])[]): number {
  const outermost = lists.map((folders) => folders.toReversed());
  const [first = []] = outermost;
  const differs = first.findIndex((folder, i) => outermost.some((folders) => folders[i] !== folder));
  return lists.length < 2 ? 0 : differs === -1 ? first.length : differs;
}

/** Returns the number at the end of a name such as `grpo_sokoban_3`, unless a word before it says what it counts. */
function numberAtEnd(name: string): number | undefined {
  const [, word = "", number] = /([A-Za-z]+)[-_ ](\d{1,4})$/.exec(name.replace(/(\.[A-Za-z]\w*)+$/, "")) ?? [];
  return number === undefined || /^(e|step|steps|iter|epoch|lr|bs|k|n|v|rank|part)$/i.test(word)
    ? undefined
    : Number(number);
}

/** True for output that Slurm or a shell names, by the number of its job. */
function isOfJob(name: string): boolean {
  return /^(slurm|nohup|job|output)[-_.]?[\d_.-]*(\.(out|err|log|txt))+$/i.test(name);
}

function stemOf(fileName: string): string {
  return fileName.replace(/\..*$/, "");
}

function omitSeeds(config: Settings): Settings {
  return Object.fromEntries(Object.entries(config).filter(([key]) => !/seed$/i.test(key)));
}

function isSilent(word: string): boolean {
  return silent.test(word) || numbered.test(word);
}

function methodsOf(folders: readonly string[]): string[] {
  return folders.map((folder) => guessIdentity(folder).method).filter((method) => !isSilent(method));
}

type Read = Source & { folders: readonly string[]; told: readonly string[] };
type Guessed = Read & { numCommon: number; isAlone: boolean; isNumbered: boolean };

function guessFrom(
  { name, folders, settings, config, numCommon, isAlone, isNumbered }: Guessed,
  isCommon: (word: string) => boolean,
): Identity {
  const own = guessIdentity(name);
  const guesses = folders.map((folder) => guessIdentity(folder));
  const all = { ...config, ...settings };
  const stated = guessFromSettings(all);
  const { seed = guesses.find((one) => one.seed !== undefined)?.seed } = own;
  const methods = methodsOf(folders);
  // A file name with a number is a name, and so is "run 1", except below a method's folder.
  const isNamed =
    ![name, stemOf(name)].some((word) => folders.includes(word)) ||
    (/^(run|job|trial)/i.test(own.method) && !methods.some(isKnownMethod));
  const isOwnSilent = silent.test(own.method) || (isAlone && isOfJob(name)) || (!isNamed && isSilent(own.method));
  const environment = [own, ...guesses, stated].find((one) => one.environment !== unnamedEnvironment)?.environment;
  return {
    method: chooseMethod(isOwnSilent ? "" : own.method, { methods, stated: stated.method, isNamed, isCommon }),
    environment: environment ?? unnamedEnvironment,
    seed:
      seed ??
      findSeed(all) ??
      (isNumbered ? numberOf(folders.slice(0, folders.length - numCommon), isOwnSilent ? "" : name) : undefined),
  };
}

type Choice = { methods: readonly string[]; stated: string; isNamed: boolean; isCommon: (word: string) => boolean };

/** Chooses a run's method: its own name, else a published method in its path or settings, else what varies. */
function chooseMethod(own: string, { methods, stated, isNamed, isCommon }: Choice): string {
  if (isKnownMethod(own)) return own;
  const varying = methods.filter((word) => !isCommon(word));
  const known = varying.find(isKnownMethod) ?? [stated].find(isKnownMethod);
  if (known !== undefined) return known;
  // A folder between the method's and the run's is a variant of the method.
  const above = isNamed ? undefined : methods.find(isKnownMethod);
  if (own !== "") return above === undefined ? own : `${above} ${own}`;
  if (!isSilent(stated)) return stated;
  const all = [methods.find(isKnownMethod), ...varying.toReversed()].filter((word) => word !== undefined);
  return all.length > 0 ? [...new Set(all)].join(" ") : (methods[0] ?? "imported");
}

/** Returns the number of the nearest folder that has one, below any folder with a name. */
function numberOf(folders: readonly string[], name: string): number | undefined {
  const nearest = folders.find((folder) => numbered.test(folder) || !isSilent(folder)) ?? "";
  const number = nearest === name || nearest === stemOf(name) ? undefined : numbered.exec(nearest)?.[1];
  return number === undefined ? undefined : Number(number);
}

/** Lists settings that may distinguish configurations. */
function tell({ settings }: Source): string[] {
  const telling = Object.entries(settings).filter(([key, value]) => isTelling(key, value));
  return telling.map(([key, value]) => `${key.split(".").at(-1)}=${value}`);
}

/** Lists words that may distinguish a run from others with the same method. Names count if all seeds are known. */
function describe(run: Read, isSeeded: boolean): string[] {
  const details = [...run.folders.toReversed(), ...(isSeeded ? [run.name] : [])].map(guessDetail);
  return [...new Set([...details.filter((word) => word !== "" && !isSilent(word)), ...run.told])];
}
