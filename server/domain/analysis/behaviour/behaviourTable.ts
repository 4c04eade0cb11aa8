import { formatValue, groupBy } from "#packages/base";
import { median } from "#packages/statistics";
import {
  type BareTable,
  type CsvValue,
  intervalCell,
  numberCell,
  numberColumn,
  pColumn,
  shareColumn,
  textCell,
  textColumn,
  toCsvText,
} from "#packages/tables";
import { invalidType, typesIn } from "#trainer/spec/actionTypes.ts";
import { titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { countBehaviour, firstDivergence } from "#trainer/spec/trace.ts";
import type { Episode, Grouped } from "./groupEpisodes.ts";
import { explainPatterns, tellPatterns } from "./patterns.ts";
import { beginning, fewestTurns, type Transition } from "./transitions.ts";

/** Returns the name of an action type in an environment, given its letter. */
export function namerOf(environment: string): (letter: string) => string {
  const names = new Map(typesIn(environment).map(({ letter, name }) => [letter, name]));
  return (letter) => (letter === beginning ? "Start" : (names.get(letter) ?? invalidType.name));
}

/** Says which action becomes more or less likely after which, and how many transitions differ. */
export function summariseBehaviour({ environment, groups }: Grouped, transitions: readonly Transition[]): string {
  const [reference] = groups;
  if (!reference || groups.length < 2) return "";
  const name = namerOf(environment);
  const shown = transitions.filter(({ q }) => q < 0.05);
  const counted = `${shown.length} of ${transitions.length} transitions differ (false-discovery rate 5 %).`;
  const [first] = shown;
  if (!first) {
    return `In ${titleOfEnvironment(environment)}, no difference is shown in which actions follow each other: ${counted}`;
  }
  const { from, to, ratio, interval, other } = first;
  const range = `[${formatValue(interval.low)}, ${formatValue(interval.high)}]`;
  const more = ratio > 1 ? "more" : "less";
  return `In ${titleOfEnvironment(environment)}, ${name(to)} follows ${name(from)} ${more} often ${nameGroup(other.title)} (${share(other)}) than ${nameGroup(reference.title)} (${share(first.reference)}): odds ratio ${formatValue(ratio)} ${range}. ${counted}`;
}

const share = ({ hits, trials }: { hits: number; trials: number }): string => `${Math.round((100 * hits) / trials)} %`;

function nameGroup(title: string): string {
  const names: Readonly<Record<string, string>> = {
    Success: "in successful episodes",
    Failure: "in failed episodes",
    "Before training": "before training",
    "After training": "after training",
  };
  return names[title] ?? `with ${title}`;
}

/** Tabulates the compared transitions, shown differences first. */
export function toBehaviourTable(grouped: Grouped, transitions: readonly Transition[]): BareTable {
  const { environment, environments, groups } = grouped;
  const [reference, ...compared] = groups;
  const name = namerOf(environment);
  const hasSeveral = compared.length > 1;
  const referenceTitle = reference?.title ?? "Reference";
  return {
    caption: `Actions that follow each other in ${titleOfEnvironment(environment)}: share of the turns after an action, and odds ratio [95 % CI] against ${referenceTitle}.`,
    columns: [
      ...(hasSeveral ? [textColumn("group", "Group")] : []),
      textColumn("from", "Action"),
      textColumn("to", "Next action"),
      shareColumn("reference", referenceTitle),
      shareColumn("other", hasSeveral ? "Group" : (compared[0]?.title ?? "Other")),
      numberColumn("ratio", "Odds ratio", 2),
      pColumn("q", "q"),
    ],
    rows: transitions.map(({ from, to, reference: before, other, ratio, interval, q, runIds }) => ({
      cells: [
        ...(hasSeveral ? [textCell(other.title)] : []),
        { kind: "text", text: name(from), key: from },
        { kind: "text", text: name(to), key: to },
        { kind: "share", k: before.hits, n: before.trials },
        { kind: "share", k: other.hits, n: other.trials },
        intervalCell(ratio, runIds.length, interval),
        numberCell(q),
      ],
      runIds: [...runIds],
    })),
    notes: [
      ...groups.map(({ title, episodes }) => {
        const traces = episodes.map(({ trace }) => trace);
        const { turns, revisits, repeats, types, earlyEnds, sequences } = countBehaviour(traces);
        const percent = (n: number, of: number) => `${Math.round((100 * n) / of)} %`;
        return `${title}: ${episodes.length} episodes of ${formatValue(turns / episodes.length)} turns; ${percent(revisits, turns)} of the turns in a known state, ${percent(repeats, turns)} repeat an action there, ${percent(types.get(invalidType.letter) ?? 0, turns)} invalid; ${percent(earlyEnds, episodes.length)} of the episodes end early; ${sequences.size} different sequences.${tellDivergence(episodes)}`;
      }),
      ...groups.map(({ title, episodes }) => `${title}: ${tellPatterns(environment, episodes)}.`),
      explainPatterns(environment),
      `Intervals allow for correlation within tasks and within training seeds. q: p-value corrected by Benjamini and Hochberg. Transitions after fewer than ${fewestTurns} turns in a group are not tested.`,
      ...(environments.length > 1
        ? [
            `Other environments with logged actions: ${environments
              .filter((one) => one !== environment)
              .map(titleOfEnvironment)
              .join(", ")}.`,
          ]
        : []),
    ],
    isUnmarked: true,
  };
}

/** Says in which turn episodes of one task and evaluation begin to differ; empty if each task was played once. */
function tellDivergence(episodes: readonly Episode[]): string {
  const groups = groupBy(episodes, ({ runId, iteration, task }) => `${runId} ${iteration} ${task}`);
  const turns = [...groups.values()].flatMap((group) =>
    group.length < 2 ? [] : [1 + firstDivergence(group.map(({ trace }) => trace))],
  );
  return turns.length === 0 ? "" : ` Episodes of one task differ from turn ${formatValue(median(turns))} on (median).`;
}

/** One line per episode, with its actions as a trace. */
export function toBehaviourCsv({ environment, groups }: Grouped): string {
  const columns: Readonly<Record<string, (episode: Episode, group: string) => CsvValue>> = {
    group: (_, group) => group,
    run: ({ runId }) => runId,
    configuration: ({ method }) => method,
    seed: ({ seed }) => seed,
    iteration: ({ iteration }) => iteration,
    environment: () => environment,
    task: ({ task }) => task,
    sample: ({ sample }) => sample,
    ending: ({ ending }) => ending,
    turns: ({ letters }) => letters.length,
    actions: ({ trace }) => trace,
  };
  const toLine = (title: string, episode: Episode) => Object.values(columns).map((read) => read(episode, title));
  const lines = groups.flatMap(({ title, episodes }) => episodes.map((episode) => toLine(title, episode)));
  return toCsvText([Object.keys(columns), ...lines]);
}
