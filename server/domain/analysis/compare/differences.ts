import { dropAt } from "#packages/base";
import { leavesOf } from "#trainer/spec/leaves.ts";
import type { StoredSpec } from "#server/domain/plan/sweep/stored/storedSpec.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import { titleOfSetting } from "#server/domain/plan/sweep/labels/settingTitles.ts";

/** Values are in the order of configurations; undefined if one lacks the setting. */
export type ComparedSetting = { path: string; title: string; values: readonly unknown[] };

export type Differences = { differing: ComparedSetting[]; same: ComparedSetting[] };

export function compareSpecs(specs: readonly StoredSpec[]): Differences {
  const all = specs.map((spec) => new Map(settingsOf(spec)));
  const paths = new Set(all.flatMap((settings) => [...settings.keys()]));
  const compared = [...paths].map((path) => ({
    path,
    title: path === "importedAs" ? "Imported as" : titleOfSetting(path),
    values: all.map((settings) => settings.get(path)),
  }));
  const isSame = ({ values }: ComparedSetting) => new Set(values.map((value) => JSON.stringify(value))).size === 1;
  return { differing: compared.filter((one) => !isSame(one)), same: compared.filter(isSame) };
}

/** Lists settings by dotted path, as in a plan also for imported runs; settings of execution change no results. */
function settingsOf(spec: StoredSpec): [path: string, value: unknown][] {
  const tree = isImported(spec)
    ? {
        environment: spec.environment,
        ...(spec.stated?.method ? { method: spec.stated.method } : { importedAs: spec.method }),
        ...spec.stated?.settings,
      }
    : dropAt({ ...spec }, "execution");
  return leavesOf(tree).map(([path, value]) => [path.join("."), value]);
}

type AlignedEpisode = {
  isSuccess: boolean;
  turns: readonly { prompt: string; action: string; isFormatValid: boolean; isActionValid: boolean }[];
};

type Alignment = {
  numTurns: number;
  /** First turn (from 0) in which actions differ or one episode has ended; undefined if all actions agree. */
  partsAt: number | undefined;
  /** True if observations agree up to turn `partsAt`. A stochastic environment may react differently to one action. */
  sawTheSame: boolean;
};

/** Aligns episodes of one task by turn, up to the first turn in which actions differ or one episode has ended. */
export function alignEpisodes(episodes: readonly AlignedEpisode[]): Alignment {
  const numTurns = Math.max(0, ...episodes.map(({ turns }) => turns.length));
  const turns = Array.from({ length: numTurns }, (_, i) => i);
  const isOne = (values: readonly (string | undefined)[]) => new Set(values).size <= 1;
  const partsAt = turns.find((i) => !isOne(episodes.map((episode) => episode.turns[i]?.action)));
  const last = partsAt ?? numTurns - 1;
  const sawTheSame = turns.every(
    (i) => i > last || isOne(episodes.flatMap((episode) => episode.turns[i]?.prompt ?? [])),
  );
  return { numTurns, partsAt, sawTheSame };
}

/** Describes a divergence: "The actions are the same for 2 turns. Turn 3: GRPO: up; GSPO: left. Outcome: …" */
export function describeParting(
  episodes: readonly (AlignedEpisode & { name: string })[],
  { numTurns, partsAt, sawTheSame }: Alignment,
): string {
  const ends = episodes.map(({ name, isSuccess }) => `${name} ${isSuccess ? "succeeds" : "fails"}`).join(", ");
  const chance = sawTheSame ? "" : " The observations had already differed before.";
  if (partsAt === undefined)
    return `The actions are the same in ${numTurns === 1 ? "the only turn" : `all ${numTurns} turns`}: ${ends}.${chance}`;
  const before =
    partsAt === 0
      ? "The first actions differ"
      : `The actions are the same for ${partsAt} ${partsAt === 1 ? "turn" : "turns"}`;
  const actions = episodes.map(({ name, turns }) => {
    const turn = turns[partsAt];
    if (!turn) return `${name}: ended`;
    return turn.isFormatValid
      ? `${name}: ${turn.action === "" ? "no action" : turn.action}`
      : `${name}: invalid format`;
  });
  return `${before}. Turn ${partsAt + 1}: ${actions.join("; ")}. Outcome: ${ends}.${chance}`;
}
