import type { GroupHead, GroupTurn } from "#server/api/runs/groups.ts";
import { formatCount, formatValue } from "#app/_charts/format.ts";
import { type AddressPart, optionPart, withValue } from "#app/_ui/address.ts";

export const filters = [
  { value: "all", label: "All groups" },
  { value: "failed", label: "All episodes failed" },
  { value: "solved", label: "All episodes succeeded" },
  { value: "clipped", label: "Clipped > 20 %" },
  { value: "extreme", label: "Extreme ratio or advantage" },
  { value: "longest", label: "Longest tenth" },
] as const;
export type Filter = (typeof filters)[number]["value"];

/** Choices in the page's address. Without `group`, the iteration's first group is meant. */
export type GroupsAddress = { iteration?: number; group?: number; filter: Filter; task?: number | undefined };

const filterPart = optionPart<Filter>("groups", filters, "all");

export const groupsPart: AddressPart<GroupsAddress> = {
  parse: (query) => {
    const [iteration, group] = (query.get("at") ?? "").split(".").map(readWhole);
    const task = readWhole(query.get("task") ?? "");
    return {
      filter: filterPart.parse(query),
      ...(iteration !== undefined && { iteration }),
      ...(group !== undefined && { group }),
      ...(task !== undefined && { task }),
    };
  },
  write: (query, { iteration, group, filter, task }) => {
    const at = [iteration, group].filter((x) => x !== undefined).join(".");
    return withValue(withValue(filterPart.write(query, filter), "at", at), "task", String(task ?? ""));
  },
  continuous: ["at"],
};

function readWhole(text: string): number | undefined {
  return /^\d{1,12}$/.test(text) ? Number(text) : undefined;
}

/** Returns the groups that a filter keeps, of one task if one is chosen. */
export function filterGroups(groups: readonly GroupHead[], { filter, task }: GroupsAddress): readonly GroupHead[] {
  const ofTask = task === undefined ? groups : groups.filter((group) => group.task === task);
  const longest = ofTask.map(lengthOf).toSorted((a, b) => b - a)[Math.max(0, Math.ceil(ofTask.length / 10) - 1)] ?? 0;
  const keeps: Record<Filter, (group: GroupHead) => boolean> = {
    all: () => true,
    failed: ({ successes }) => successes.every((isSuccess) => isSuccess === false),
    solved: ({ successes }) => successes.every((isSuccess) => isSuccess === true),
    clipped: ({ clipped }) => clipped !== null && clipped > 0.2,
    extreme: ({ marks }) => marks.includes("extreme"),
    longest: (group) => lengthOf(group) >= longest,
  };
  return ofTask.filter(keeps[filter]);
}

function lengthOf({ numTokens }: GroupHead): number {
  return numTokens.reduce((sum, x) => sum + x, 0);
}

/** Returns the group that an address names, or else the nearest: the earliest from its iteration on, or the last. */
export function findGroup(groups: readonly GroupHead[], { iteration, group }: GroupsAddress): GroupHead | undefined {
  if (iteration === undefined) return groups[0];
  const named = groups.find((one) => one.iteration === iteration && (group === undefined || one.group === group));
  return named ?? groups.find((one) => one.iteration >= iteration) ?? groups.at(-1);
}

/** Describes a group in one sentence. */
export function sayGroup({
  iteration,
  task,
  returns,
  successes,
  advantages,
  clipped,
  masked,
  marks,
}: GroupHead): string {
  const known = successes.filter((isSuccess) => isSuccess !== null);
  const solved =
    known.length < successes.length
      ? `${formatCount(successes.length, "episode")}, success not recorded`
      : `${known.filter(Boolean).length} of ${formatCount(known.length, "episode")} succeeded`;
  const range = returns.filter((x) => x !== null);
  const spread =
    range.length === 0
      ? "returns not recorded"
      : marks.includes("zeroVariance")
        ? `all with the return ${formatValue(range[0] ?? NaN)}${advantages.every((x) => x === 0) ? ", and their advantages are zero" : ""}`
        : `returns from ${formatValue(Math.min(...range))} to ${formatValue(Math.max(...range))}`;
  const loss =
    clipped === null || masked === null
      ? "the file does not say what the loss did"
      : `the loss clipped ${percent(clipped)} and masked ${percent(masked)} of the tokens`;
  return `Iteration ${iteration}, task ${task}: ${solved}, ${spread}; ${loss}.`;
}

function percent(x: number): string {
  return `${x === 0 ? 0 : (100 * x).toFixed(1)}\u00A0%`;
}

/** Effects of the loss on a token, in the words of the key. */
export const effects = {
  raised: { label: "made likelier", about: "the darker, the larger the gradient" },
  lowered: { label: "made less likely", about: "the darker, the larger the gradient" },
  none: { label: "no effect", about: "the gradient is 0, as where the advantage is 0" },
  clippedHigh: { label: "clipped above", about: "the ratio exceeds its upper bound, which limits the loss" },
  clippedLow: { label: "clipped below", about: "the ratio is below its lower bound, which limits the loss" },
  clippedDual: { label: "dual clip", about: "advantage < 0 and a high ratio: the dual clip limits the loss" },
  maskedToken: { label: "token masked", about: "the method dropped this token" },
  maskedRow: { label: "row masked", about: "the method dropped its whole row" },
  maskedGroup: { label: "group dropped", about: "the sampling filter dropped its group" },
  unknown: { label: "not recorded", about: "the file does not say what the loss did" },
} as const;
export type Effect = keyof typeof effects;

/** Returns the effect of the loss on a token. Gradients are those of the loss, which is minimised. */
export function effectOf({ fate, gradient }: GroupTurn["tokens"], i: number): Effect {
  const [of, slope] = [fate[i] ?? null, gradient[i] ?? null];
  if (of === null) return "unknown";
  if (of !== "used") return of;
  return slope === null || slope === 0 ? "none" : slope < 0 ? "raised" : "lowered";
}

/** Returns the largest gradient of a group's tokens, at which their background is fullest. */
export function maxGradientOf(turns: readonly GroupTurn[]): number {
  let max = 0;
  for (const { tokens } of turns) for (const x of tokens.gradient) max = Math.max(max, Math.abs(x ?? 0));
  return max;
}

/** Lists all numbers of a token with their names; "not recorded" stands for what the file lacks. */
export function describeToken(turn: GroupTurn, i: number): { name: string; value: string }[] {
  const { tokens } = turn;
  const say = (x: number | null | undefined) => (x === null || x === undefined ? "not recorded" : formatValue(x));
  return [
    { name: "Loss", value: effects[effectOf(tokens, i)].label },
    { name: "Advantage", value: say(tokens.advantage[i]) },
    { name: "Ratio", value: say(tokens.ratio[i]) },
    { name: "log μ (sampler)", value: say(tokens.samplerLogProb[i]) },
    { name: "log π_old", value: say(tokens.oldLogProb[i]) },
    { name: "log π_θ", value: say(tokens.logProb[i]) },
    { name: "Loss ℓ", value: say(tokens.loss[i]) },
    { name: "Weight W", value: say(tokens.weight[i]) },
    { name: "Gradient", value: say(tokens.gradient[i]) },
    { name: "Reward of the turn", value: say(turn.reward) },
    { name: "Token id", value: String(tokens.id[i] ?? "not recorded") },
  ];
}

/** Fractions of an episode's tokens that were clipped and masked; null if the file does not say. */
export function sharesOf(turns: readonly GroupTurn[]): { clipped: number | null; masked: number | null } {
  const fates = turns.flatMap(({ tokens }) => tokens.fate).filter((fate) => fate !== null);
  const share = (start: string) =>
    fates.length === 0 ? null : fates.filter((fate) => fate.startsWith(start)).length / fates.length;
  return { clipped: share("clipped"), masked: share("masked") };
}
