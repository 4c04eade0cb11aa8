import { invalidType, letterOf, typesIn } from "./actionTypes.ts";

/**
 * An episode's actions as a short text, one letter per turn, so that every evaluation episode can be logged. The
 * letter is the action's type, in upper case if the episode had been in the same state before. An asterisk follows if
 * the same action had been taken in that state before. The last character says how the episode ended.
 */
export type Trace = string;

/** How an episode ended: success, an end without success, or the limit of turns. */
export const endings = { "+": "success", "-": "ended", "~": "limit" } as const;
export type TraceEnding = (typeof endings)[keyof typeof endings];

type Move = { anchor: string; action: string };
type Turn = Move & { isFormatValid: boolean; isActionValid: boolean };

/** Writes the trace of an episode in an environment, whose id gives the types of actions. */
export function writeTrace(environment: string, turns: readonly Turn[], ending: TraceEnding): Trace {
  const types = typesIn(environment);
  const letters = turns.map((turn, i) => {
    const letter = turn.isFormatValid && turn.isActionValid ? letterOf(types, turn.action) : invalidType.letter;
    const earlier = turns.slice(0, i);
    const isKnown = earlier.some(({ anchor }) => anchor === turn.anchor);
    return `${isKnown ? letter.toUpperCase() : letter}${isRepeat(earlier, turn) ? "*" : ""}`;
  });
  const last = Object.entries(endings).find(([, name]) => name === ending)?.[0] ?? "-";
  return `${letters.join("")}${last}`;
}

/** True if an earlier turn took the same action in the same state. Loop-aware control rejects such actions. */
export function isRepeat(earlier: readonly Move[], { anchor, action }: Move): boolean {
  return earlier.some((turn) => turn.anchor === anchor && turn.action === action);
}

export type ReadTrace = {
  /** Letters of the actions' types, one per turn. */
  letters: readonly string[];
  /** True for each turn in a state in which the episode had been before. */
  revisits: readonly boolean[];
  /** True for each turn that repeats an earlier action in the same state. */
  repeats: readonly boolean[];
  ending: TraceEnding;
};

/** Pattern of a trace. */
export const tracePattern = /^(?:[a-z]|[A-Z]\*?)*[+\-~]$/;

/** Reads a trace. A text that is none has no turns. */
export function readTrace(trace: Trace): ReadTrace {
  const turns = trace.match(/[a-zA-Z]\*?/g) ?? [];
  const last = trace.at(-1);
  return {
    letters: turns.map((turn) => turn.charAt(0).toLowerCase()),
    revisits: turns.map((turn) => turn.charAt(0) !== turn.charAt(0).toLowerCase()),
    repeats: turns.map((turn) => turn.endsWith("*")),
    ending: last === "+" ? "success" : last === "~" ? "limit" : "ended",
  };
}

/** Counts of some episodes, which can be added over evaluations, seeds and environments' parts. */
export type BehaviourCounts = {
  episodes: number;
  turns: number;
  revisits: number;
  repeats: number;
  /** Episodes that ended without success before the limit of turns. */
  earlyEnds: number;
  /** Number of turns by the letter of their type. */
  types: ReadonlyMap<string, number>;
  /** Number of transitions from one type to the next, by both letters. */
  transitions: ReadonlyMap<string, number>;
  /** Different sequences of types among the episodes. */
  sequences: ReadonlySet<string>;
};

/** Counts turns, returns to known states, repetitions and transitions over episodes. */
export function countBehaviour(traces: readonly Trace[]): BehaviourCounts {
  const types = new Map<string, number>();
  const transitions = new Map<string, number>();
  const sequences = new Set<string>();
  const total = { episodes: traces.length, turns: 0, revisits: 0, repeats: 0, earlyEnds: 0 };
  for (const { letters, revisits, repeats, ending } of traces.map(readTrace)) {
    total.turns += letters.length;
    total.revisits += revisits.filter(Boolean).length;
    total.repeats += repeats.filter(Boolean).length;
    if (ending === "ended") total.earlyEnds++;
    sequences.add(letters.join(""));
    for (const [i, letter] of letters.entries()) {
      const next = letters[i + 1];
      types.set(letter, (types.get(letter) ?? 0) + 1);
      if (next !== undefined) transitions.set(letter + next, (transitions.get(letter + next) ?? 0) + 1);
    }
  }
  return { ...total, types, transitions, sequences };
}

/** First turn, from 0, in which episodes of one task differ in the type of action, or in which the shortest is over. */
export function firstDivergence(traces: readonly Trace[]): number {
  const [first = [], ...others] = traces.map((trace) => readTrace(trace).letters);
  const at = first.findIndex((letter, i) => others.some((letters) => letters[i] !== letter));
  return at < 0 ? first.length : at;
}

/**
 * Conditional entropy in nats of an action's type given the type before it: H(next | current), from counted
 * transitions. 0 if the next type is always known, or if there are no transitions.
 */
export function transitionEntropy(transitions: ReadonlyMap<string, number>): number {
  const from = new Map<string, number>();
  let total = 0;
  for (const [pair, n] of transitions) {
    from.set(pair.charAt(0), (from.get(pair.charAt(0)) ?? 0) + n);
    total += n;
  }
  let sum = 0;
  for (const [pair, n] of transitions) sum += n * Math.log((from.get(pair.charAt(0)) ?? n) / n);
  return total === 0 ? 0 : sum / total;
}

/** Fraction of repeated n-grams among all n-grams of a text's tokens; undefined if the text is shorter than n. */
export function repeatedNgrams(tokens: ArrayLike<number>, n = 4): number | undefined {
  const total = tokens.length - n + 1;
  if (total <= 0) return undefined;
  const seen = new Set<string>();
  for (let i = 0; i < total; i++) seen.add(Array.from({ length: n }, (_, k) => tokens[i + k]).join(" "));
  return 1 - seen.size / total;
}
