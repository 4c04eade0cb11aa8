import { formatValue, groupBy } from "#packages/base";
import { median } from "#packages/statistics";
import {
  type BareTable,
  intervalCell,
  numberCell,
  numberColumn,
  pColumn,
  textCell,
  textColumn,
  toCsvText,
} from "#packages/tables";
import { invalidType, typesIn } from "#trainer/spec/actionTypes.ts";
import { titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { countBehaviour, firstDivergence } from "#trainer/spec/trace.ts";
import { lookOfType } from "./flowRows.ts";
import type { Episode, EpisodeGroup, Grouped } from "./groupEpisodes.ts";
import { explainPatterns, percentOf, tellPatterns } from "./patterns.ts";
import { fewestTurns, type Share, type Transition } from "./transitions.ts";

/** Says which action becomes more or less likely after which, and how many transitions differ. */
export function summariseBehaviour({ environment, groups }: Grouped, transitions: readonly Transition[]): string {
  const [reference] = groups;
  if (!reference || groups.length < 2) return "";
  const where = `In ${titleOfEnvironment(environment)},`;
  const shown = transitions.filter(({ q }) => q < 0.05);
  const counted = `${shown.length} of ${transitions.length} transitions differ (false-discovery rate 5 %).`;
  const [first] = shown;
  if (!first) return `${where} no difference is shown in which actions follow each other: ${counted}`;
  const { from, to, ratio, interval, other } = first;
  const name = (type: string) => lookOfType(typesIn(environment), type).label;
  const tell = (title: string, { hits, trials }: Share) =>
    `${groupNames[title] ?? `with ${title}`} (${percentOf(hits, trials)})`;
  const compared = `${tell(other.title, other)} than ${tell(reference.title, first.reference)}`;
  const range = `[${formatValue(interval.low)}, ${formatValue(interval.high)}]`;
  return `${where} ${name(to)} follows ${name(from)} ${ratio > 1 ? "more" : "less"} often ${compared}: odds ratio ${formatValue(ratio)} ${range}. ${counted}`;
}

const groupNames: Readonly<Record<string, string>> = {
  Success: "in successful episodes",
  Failure: "in failed episodes",
  "Before training": "before training",
  "After training": "after training",
};

/** Tabulates the compared transitions, shown differences first. */
export function toBehaviourTable(grouped: Grouped, transitions: readonly Transition[]): BareTable {
  const { environment, environments, groups } = grouped;
  const [referenceTitle = "Reference", ...compared] = groups.map(({ title }) => title);
  const name = (type: string) => lookOfType(typesIn(environment), type).label;
  const hasSeveral = compared.length > 1;
  const elsewhere = environments.filter((one) => one !== environment).map(titleOfEnvironment);
  return {
    caption: `Actions that follow each other in ${titleOfEnvironment(environment)}: turns with the next action among all turns after an action, and odds ratio [95 % CI] against ${referenceTitle}.`,
    columns: [
      ...(hasSeveral ? [textColumn("group", "Group")] : []),
      textColumn("from", "Action"),
      textColumn("to", "Next action"),
      numberColumn("reference", referenceTitle),
      numberColumn("other", hasSeveral ? "Group" : (compared[0] ?? "Other")),
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
      ...groups.map(tellGroup),
      ...groups.map(({ title, episodes }) => `${title}: ${tellPatterns(environment, episodes)}.`),
      explainPatterns(environment),
      `Intervals allow for correlation within tasks and within training seeds. q: p-value corrected by Benjamini and Hochberg. Transitions after fewer than ${fewestTurns} turns in a group are not tested.`,
      ...(elsewhere.length > 0 ? [`Other environments with logged actions: ${elsewhere.join(", ")}.`] : []),
    ],
    isUnmarked: true,
  };
}

function tellGroup({ title, episodes }: EpisodeGroup): string {
  const { turns, revisits, repeats, types, earlyEnds, sequences } = countBehaviour(episodes.map(({ trace }) => trace));
  const invalid = percentOf(types.get(invalidType.letter) ?? 0, turns);
  return `${title}: ${episodes.length} episodes of ${formatValue(turns / episodes.length)} turns; ${percentOf(revisits, turns)} of the turns in a known state, ${percentOf(repeats, turns)} repeat an action there, ${invalid} invalid; ${percentOf(earlyEnds, episodes.length)} of the episodes end early; ${sequences.size} different sequences.${tellDivergence(episodes)}`;
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
  const lines = groups.flatMap(({ title, episodes }) =>
    episodes.map(({ runId, method, seed, iteration, task, sample, ending, letters, trace }) => {
      const place = [title, runId, method, seed, iteration, environment, task, sample];
      return [...place, ending, letters.length, trace];
    }),
  );
  const heads = ["group", "run", "configuration", "seed", "iteration", "environment", "task", "sample"];
  return toCsvText([[...heads, "ending", "turns", "actions"], ...lines]);
}
