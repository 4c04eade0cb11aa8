import { makeAction, type Action } from "./action.ts";
import { copyTree, flatten, makeTree, mergeTrees, remove, type Tree } from "./dependencyTree.ts";

/** Plan for an event of a quest at the game's start: the actions that cause it, and the facts that define it. */
export type Plan = { readonly actions: readonly Action[]; readonly facts: readonly string[] };
export type PlannedQuest = { readonly wins: readonly Plan[]; readonly fails: readonly Plan[] };

type EventState = {
  readonly trigger: Action;
  readonly tree: Tree;
  readonly policy: readonly Action[];
  readonly hasHappened: boolean;
  /** True after an irreversible action that affects the plan, so that it is unknown if the event can still occur. */
  readonly isOutOfReach: boolean;
};
type QuestState = { readonly wins: readonly EventState[]; readonly fails: readonly EventState[] };

/** Plan to win from the current world, for shaped rewards, updated as in TextWorld by shortening and undoing. */
export type WinningPolicy = { readonly quests: readonly QuestState[]; readonly length: number | undefined };

export function startPolicy(quests: readonly PlannedQuest[], facts: ReadonlySet<string>): WinningPolicy {
  return summarise(
    quests.map(({ wins, fails }) =>
      follow({ wins: wins.map(startEvent), fails: fails.map(startEvent) }, undefined, facts),
    ),
  );
}

export function followAction(policy: WinningPolicy, action: Action, facts: ReadonlySet<string>): WinningPolicy {
  return summarise(policy.quests.map((quest) => follow(quest, action, facts)));
}

function startEvent({ actions, facts }: Plan): EventState {
  const trigger = makeAction("trigger", facts, [...facts, "event()"]);
  const policy = actions.length === 0 ? [] : [...actions, trigger];
  return { trigger, policy, tree: makeTree(policy.toReversed()), hasHappened: false, isOutOfReach: false };
}

function follow(quest: QuestState, action: Action | undefined, facts: ReadonlySet<string>): QuestState {
  if (isDone(quest)) return quest;
  const followEvent = (event: EventState): EventState => {
    if (event.hasHappened || event.isOutOfReach) return event;
    const hasHappened = event.trigger.pre.every((fact) => facts.has(fact));
    const shorter = shorten(event, facts);
    if (shorter !== undefined) return { ...event, ...shorter, hasHappened };
    if (action === undefined || event.tree.roots.length === 0) return { ...event, hasHappened };
    const tree = copyTree(event.tree);
    const { hasChanged, reverse } = remove(tree, action);
    if (!hasChanged) return { ...event, tree, hasHappened };
    if (reverse === undefined) return { ...event, tree, hasHappened, isOutOfReach: true };
    return { ...event, tree, hasHappened, policy: flatten(tree) };
  };
  return { wins: quest.wins.map(followEvent), fails: quest.fails.map(followEvent) };
}

/** Removes segments from the plan while the rest can be executed. Undefined if none can be removed. */
function shorten({ tree }: EventState, facts: ReadonlySet<string>): Pick<EventState, "policy" | "tree"> | undefined {
  let policy: readonly Action[] | undefined;
  for (let found = findShorter(flatten(tree), facts); found !== undefined; found = findShorter(found, facts))
    policy = found;
  return policy === undefined ? undefined : { policy, tree: makeTree(policy.toReversed()) };
}

function findShorter(policy: readonly Action[], facts: ReadonlySet<string>): readonly Action[] | undefined {
  const reached = new Set(facts);
  for (const [j, action] of policy.entries()) {
    for (let i = policy.length - 1; i > j; i--) {
      if (isApplicable(policy.slice(i), reached)) return [...policy.slice(0, j), ...policy.slice(i)];
    }
    // Every longer prefix of the plan contains this action, so the search ends if the action is impossible.
    if (!apply(action, reached)) return undefined;
  }
  return undefined;
}

function isApplicable(actions: readonly Action[], facts: ReadonlySet<string>): boolean {
  const [first] = actions;
  if (first === undefined || !first.pre.every((fact) => facts.has(fact))) return false;
  const reached = new Set(facts);
  return actions.every((action) => apply(action, reached));
}

function apply({ pre, post }: Action, facts: Set<string>): boolean {
  if (!pre.every((fact) => facts.has(fact))) return false;
  for (const fact of pre) facts.delete(fact);
  for (const fact of post) facts.add(fact);
  return true;
}

const isCompleted = ({ wins }: QuestState): boolean => wins.some(({ hasHappened }) => hasHappened);
const isLost = ({ wins, fails }: QuestState): boolean =>
  fails.some(({ hasHappened }) => hasHappened) || wins.some(({ isOutOfReach }) => isOutOfReach);
const isDone = (quest: QuestState): boolean => isCompleted(quest) || isLost(quest);

function summarise(quests: readonly QuestState[]): WinningPolicy {
  return { quests, length: planAll(quests)?.length };
}

/** Returns one plan that completes all open quests; undefined once the game is over or a quest has no plan. */
function planAll(quests: readonly QuestState[]): readonly Action[] | undefined {
  const winnable = quests.filter(({ wins }) => wins.length > 0);
  if (winnable.every(isCompleted) || quests.some(isLost)) return undefined;
  const trees = winnable.filter((quest) => !isDone(quest)).map(shortestTree);
  const known = trees.filter((tree) => tree !== undefined);
  if (known.length < trees.length) return undefined;
  return flatten(mergeTrees(known)).filter(({ name }) => name !== "trigger");
}

function shortestTree({ wins }: QuestState): Tree | undefined {
  const length = ({ policy }: EventState): number => policy.filter(({ name }) => name !== "trigger").length;
  const [first, ...others] = wins.filter((event) => length(event) > 0);
  if (first === undefined) return undefined;
  return others.reduce((best, event) => (length(event) < length(best) ? event : best), first).tree;
}
