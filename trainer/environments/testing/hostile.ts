import { split, type Rng } from "#trainer/spec/rng.ts";

/** Texts that have broken parsers before, used as actions in tests. */
const nasty = [
  "",
  " ",
  "\n\t\r\0",
  "__proto__",
  "constructor prototype toString",
  "hasOwnProperty",
  "take __proto__ 1 from constructor 1",
  "go to undefined",
  "NaN",
  "-1",
  "1e309",
  "a".repeat(5000),
  "]]}}>><<{{[[",
  "</action><action>look</action>",
  "<think>",
  "${process.exit(1)}",
  "'; DROP TABLE runs; --",
  "\\u0000\\x00",
  "\u202e\ud83d\ude00\ud83d",
  "(((((((((((((((((((((",
  "[".repeat(2000),
  "search[",
  "search[]",
  "click[]",
  "(.+)\\[(.+)\\]",
  "go  to   desk 1",
  "GO TO DESK 1",
  "%s%n%d",
] as const;

/**
 * Yields hostile actions for tests, the same in every run: texts that break parsers, words of possible actions
 * shuffled, cut and joined, and noise of all characters. Some possible actions are mixed in, so that later states are
 * tested too.
 */
export function* hostileActions(count: number, possible: () => readonly string[]): Generator<string> {
  const rng = split(0, "hostile");
  for (let i = 0; i < count; i++) yield hostile(rng, possible());
}

function hostile(rng: Rng, possible: readonly string[]): string {
  const some = (): string => possible[rng.int(possible.length)] ?? "";
  switch (rng.int(6)) {
    case 0:
      return nasty[rng.int(nasty.length)] ?? "";
    case 1:
      return some();
    case 2:
      return Array.from({ length: 1 + rng.int(8) }, () => wordOf(some(), rng)).join(" ");
    case 3:
      return some().slice(0, rng.int(12)) + some().slice(rng.int(12));
    case 4:
      return String.fromCharCode(...Array.from({ length: rng.int(40) }, () => rng.int(0x3000)));
    default:
      return `${some()}${nasty[rng.int(nasty.length)] ?? ""}`;
  }
}

function wordOf(text: string, rng: Rng): string {
  const words = text.split(" ");
  return words[rng.int(words.length)] ?? "";
}
