import type { Rng } from "#trainer/spec/rng.ts";
import type { Condition, Direction } from "../game.ts";
import { opposite } from "./blueprint.ts";
import { shuffle } from "../../chance.ts";
import { listChoices, type Choice, type Lockable, type QuestVerb, type Which } from "./choices.ts";
import { addThing, withDoor, withThing, type Draft, type DraftThing } from "./draft.ts";

/** One action of a quest. Things and doors are given by their numbers in the drafted world. */
export type QuestStep =
  | { readonly verb: "go"; readonly direction: Direction }
  | { readonly verb: "take" | "drop" | "eat"; readonly thing: number }
  | { readonly verb: "take from" | "put" | "insert"; readonly thing: number; readonly holder: number }
  | { readonly verb: "open" | "close"; readonly lock: Lock }
  | { readonly verb: "lock" | "unlock"; readonly lock: Lock; readonly key: number };
export type Lock = { readonly door: number } | { readonly container: number };

export type ChainOptions = {
  readonly length: number;
  /** Verbs allowed for the quest's last action, while `verbs` lists those for all earlier actions. */
  readonly last: readonly QuestVerb[];
  readonly verbs: readonly QuestVerb[];
  /** Kinds of things that may be added to the world when an action needs them. */
  readonly invents: readonly DraftThing["kind"][];
};

/**
 * Builds a quest backwards from its last action. Each earlier action makes a fact true that the next action needs, and
 * missing things are added. Walking is allowed without such a reason, but no state occurs twice.
 * @param final the world after the last action
 * @returns the actions in order and the world before the first action; undefined if no quest was found
 */
export function chainBackwards(
  final: Draft,
  options: ChainOptions,
  rng: Rng,
): { steps: readonly QuestStep[]; start: Draft } | undefined {
  let budget = maxTries;
  const extend = (draft: Draft, steps: readonly Link[]): readonly Link[] | undefined => {
    if (steps.length === options.length) return steps;
    const allowed = steps.length === 0 ? options.last : options.verbs;
    for (const choice of shuffle(listChoices(draft, allowed, options.invents), rng)) {
      if (budget-- <= 0) return undefined;
      const link = realise(draft, choice);
      if (!isRelevant(link, steps) || repeatsState(link, steps)) continue;
      const found = extend(link.before, [link, ...steps]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const links = extend(final, []);
  const [first] = links ?? [];
  return links === undefined || first === undefined
    ? undefined
    : { steps: links.map(({ step }) => step), start: first.before };
}

const maxTries = 3000;

/** An action of a quest with the worlds before and after it, its preconditions, and the facts that it makes true. */
type Link = {
  readonly step: QuestStep;
  readonly before: Draft;
  readonly after: Draft;
  readonly needs: readonly string[];
  readonly makes: readonly string[];
};

/** True if the next action other than walking needs a fact of this action, or a walk needs the opened door. */
function isRelevant(link: Link, later: readonly Link[]): boolean {
  if (link.step.verb === "go") return true;
  const next = later.find(({ step }) => step.verb !== "go");
  const serves = (other: Link | undefined): boolean =>
    other === undefined || link.makes.some((fact) => other.needs.includes(fact));
  if (next === undefined) return later.length === 0;
  return serves(next) || (link.step.verb === "open" && later[0]?.step.verb === "go" && serves(later[0]));
}

/** True if the world before the action occurs again later in the quest, which makes the action useless. */
function repeatsState({ before }: Link, later: readonly Link[]): boolean {
  return later.some(
    ({ after }) =>
      after.player === before.player &&
      after.things.length === before.things.length &&
      JSON.stringify([after.doors, after.things]) === JSON.stringify([before.doors, before.things]),
  );
}

/** Executes an action backwards: adds the things that it invents, and derives the world before it. */
function realise(draft: Draft, choice: Choice): Link {
  const room = draft.player;
  switch (choice.verb) {
    case "go": {
      const { direction, room: from, door } = choice.exit;
      const needs = [`in ${from}`, ...(door === undefined ? [] : [`door ${door} open`])];
      const step = { verb: "go", direction: opposite[direction] } as const;
      return { step, before: { ...draft, player: from }, after: draft, needs, makes: [`in ${room}`] };
    }
    case "take": {
      const { draft: after, thing } = find(draft, choice.thing, { location: "inventory" });
      const before = withThing(after, thing, { location: { room } });
      return { step: { verb: "take", thing }, before, after, needs: [`floor ${thing}`], makes: [`carry ${thing}`] };
    }
    case "drop": {
      const { draft: after, thing } = find(draft, choice.thing, { location: { room } });
      const before = withThing(after, thing, { location: "inventory" });
      return { step: { verb: "drop", thing }, before, after, needs: [`carry ${thing}`], makes: [`floor ${thing}`] };
    }
    case "eat": {
      const { draft: after, thing } = find(draft, choice.thing, { location: "eaten" });
      const before = withThing(after, thing, { location: "inventory" });
      return { step: { verb: "eat", thing }, before, after, needs: [`carry ${thing}`], makes: [`eaten ${thing}`] };
    }
    case "take from":
    case "put":
    case "insert":
      return realiseTransfer(draft, choice);
    case "open":
    case "close":
      return realiseOpening(draft, choice);
    case "lock":
    case "unlock":
      return realiseLocking(draft, choice);
  }
}

function find(draft: Draft, which: Which, invented: Omit<DraftThing, "kind">): { draft: Draft; thing: number } {
  return typeof which === "number" ? { draft, thing: which } : addThing(draft, { kind: which.invent, ...invented });
}

function realiseTransfer(
  draft: Draft,
  { verb, ...choice }: Extract<Choice, { verb: "take from" | "put" | "insert" }>,
): Link {
  const isNewContainer = typeof choice.holder === "object" && choice.holder.invent === "container";
  const { draft: furnished, thing: holder } = find(draft, choice.holder, {
    location: { room: draft.player },
    ...(isNewContainer ? { condition: "open" } : {}),
  });
  const [inside, carried] = [{ thing: holder }, "inventory"] as const;
  const isTaking = verb === "take from";
  const { draft: after, thing } = find(furnished, choice.thing, { location: isTaking ? carried : inside });
  const isOpen = after.things[holder]?.kind === "container" ? [`container ${holder} open`] : [];
  const [from, to] = [`held ${thing} ${holder}`, `carry ${thing}`];
  return {
    step: { verb, thing, holder },
    before: withThing(after, thing, { location: isTaking ? inside : carried }),
    after,
    needs: [isTaking ? from : to, ...isOpen],
    makes: [isTaking ? to : from],
  };
}

function realiseOpening(draft: Draft, { verb, ...choice }: Extract<Choice, { verb: "open" | "close" }>): Link {
  const [from, to] = verb === "open" ? (["closed", "open"] as const) : (["open", "closed"] as const);
  const { draft: after, lock, name } = findLock(draft, choice.lock, to);
  const before = change(after, lock, { condition: from });
  return { step: { verb, lock }, before, after, needs: [`${name} ${from}`], makes: [`${name} ${to}`] };
}

function realiseLocking(draft: Draft, { verb, ...choice }: Extract<Choice, { verb: "lock" | "unlock" }>): Link {
  const [from, to] = verb === "lock" ? (["closed", "locked"] as const) : (["locked", "closed"] as const);
  const { draft: built, lock, name } = findLock(draft, choice.lock, to);
  const { draft: equipped, thing: key } = find(built, choice.key, { location: "inventory" });
  const after = change(equipped, lock, { key });
  const before = change(after, lock, { condition: from });
  return {
    step: { verb, lock, key },
    before,
    after,
    needs: [`${name} ${from}`, `carry ${key}`],
    makes: [`${name} ${to}`],
  };
}

function findLock(draft: Draft, lock: Lockable, condition: Condition): { draft: Draft; lock: Lock; name: string } {
  if ("door" in lock) return { draft, lock, name: `door ${lock.door}` };
  const { draft: after, thing } = find(draft, lock.container, { location: { room: draft.player }, condition });
  return { draft: after, lock: { container: thing }, name: `container ${thing}` };
}

function change(draft: Draft, lock: Lock, to: { condition?: Condition; key?: number }): Draft {
  return "door" in lock ? withDoor(draft, lock.door, to) : withThing(draft, lock.container, to);
}
