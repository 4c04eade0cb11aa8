import type { Phrases } from "./phrases.ts";
import type { Vocabulary } from "./vocabulary.ts";

const instruction = /^Find me (.*?)(?: with (.*?))?(?:, and price lower than (\d+)\.00 dollars)?$/;

/** Instructions: `find`, attributes, kind, each option, `under` the bound in dollars. */
export function makeInstructions(phrases: Phrases, { attributes, optionNames }: Vocabulary): Phrases {
  return {
    toWords(text) {
      const [, wish = "", options = "", bound] = instruction.exec(text) ?? [];
      const parts = [
        "find",
        phrases.toWords(wish.replaceAll(", ", " ")),
        phrases.toWords(options.replaceAll(/, and | and |: /g, " ")),
        bound === undefined ? "" : `under ${bound}`,
      ];
      return parts.filter((part) => part !== "").join(" ");
    },
    fromWords(words) {
      const [, ...rest] = words.split(" ");
      const under = endOf(rest.indexOf("under"), rest);
      const firstOption = Math.min(
        under,
        endOf(
          rest.findIndex((word) => optionNames.has(word)),
          rest,
        ),
      );
      const wish = rest.slice(0, firstOption);
      const pairs = rest.slice(firstOption, under);
      const bound = rest.slice(under + 1).join("");
      return [
        `Find me ${wish.map((word) => (attributes.has(word) ? `${phrases.fromWords(word)},` : phrases.fromWords(word))).join(" ")}`.replace(
          /,(?=[^,]*$)/,
          "",
        ),
        pairs.length > 0 ? ` with ${toOptions(pairs)}` : "",
        under < rest.length ? `, and price lower than ${bound}.00 dollars` : "",
      ].join("");
    },
  };

  function toOptions(words: readonly string[]): string {
    return words
      .map((word, i) => {
        const phrase = phrases.fromWords(word);
        if (!optionNames.has(word)) return phrase;
        return i === 0 ? `${phrase}: ` : `, and ${phrase}: `;
      })
      .join("");
  }
}

function endOf(index: number, words: readonly string[]): number {
  return index < 0 ? words.length : index;
}
