import { toAsinWords, buttons } from "./vocabulary.ts";
import type { Phrases } from "./phrases.ts";

/**
 * `click[buy now]` becomes `click buy`; `search[…]` becomes `search` and the query's words. Other texts are phrases.
 */
export function makeActions(phrases: Phrases, asins: readonly string[]): Phrases {
  const targets = new Map<string, string>([
    ...buttons.map(([text, word]) => [text.toLowerCase(), word] as const),
    ...asins.map((asin) => [asin.toLowerCase(), toAsinWords(asin)] as const),
  ]);
  const textOf = new Map([...targets].map(([text, words]) => [words, text]));
  return {
    toWords(text) {
      const [, verb, argument = ""] = /^(click|search)\[(.*)\]$/s.exec(text) ?? [];
      if (verb === undefined) return phrases.toWords(text);
      const target = verb === "click" ? targets.get(argument) : undefined;
      return [verb, target ?? phrases.toWords(argument)].filter((part) => part !== "").join(" ");
    },
    fromWords(words) {
      const [verb = "", ...rest] = words.split(" ");
      if (verb !== "click" && verb !== "search") return phrases.fromWords(words);
      const argument = rest.join(" ");
      const target = verb === "click" ? textOf.get(argument) : undefined;
      return `${verb}[${target ?? phrases.fromWords(argument)}]`;
    },
  };
}
