import { receipt, separator } from "../page.ts";
import { toAsinWords, type Vocabulary } from "./vocabulary.ts";
import type { Phrases } from "./phrases.ts";

/** Single word of a small policy for all buttons at the end of a product's page. */
export const itemButtonsWord = "buttons";
const itemButtonsRun = "unrated description features reviews buy";

/**
 * Makes the conversion of observed pages to a small policy's words. A page is its texts after the instruction, each
 * in quotes. The codec lists all texts except the line with the number of results. Texts need no separator, because
 * no text's words are a prefix of another text's words.
 */
export function makePages({ runOf }: Vocabulary): Phrases {
  const textOf = new Map([...runOf].map(([text, run]) => [run, text]));
  const longest = Math.max(...[...runOf.values()].map((run) => run.split(" ").length));
  return {
    toWords: (page) =>
      page
        .slice(1, -1)
        .split(`'${separator}'`)
        .map((text) => runOf.get(text) ?? toCountWords(text))
        .join(" ")
        .replace(itemButtonsRun, itemButtonsWord),
    fromWords(words) {
      const pieces = words.replace(itemButtonsWord, itemButtonsRun).split(" ");
      const texts: string[] = [];
      for (let at = 0; at < pieces.length;) {
        const { text, length } = findCount(pieces, at) ?? findText(pieces, at);
        texts.push(text);
        at += length;
      }
      return `'${texts.join(`'${separator}'`)}'`;
    },
  };

  function findText(pieces: readonly string[], at: number): { text: string; length: number } {
    for (let length = Math.min(longest, pieces.length - at); length > 0; length--) {
      const text = textOf.get(pieces.slice(at, at + length).join(" "));
      if (text !== undefined) return { text, length };
    }
    return { text: pieces[at] ?? "", length: 1 };
  }
}

/** Converts the line of page and result counts to words such as `page 1 2 of 5 0`, digit by digit. */
function toCountWords(text: string): string {
  const [, page = "", total = ""] = /^Page (\d+) \(Total results: (\d+)\)$/.exec(text) ?? [];
  return ["page", ...page.split(""), "of", ...total.split("")].join(" ");
}

function findCount(pieces: readonly string[], at: number): { text: string; length: number } | undefined {
  if (pieces[at] !== "page") return undefined;
  const page = digitsFrom(pieces, at + 1);
  const total = pieces[at + 1 + page.length] === "of" ? digitsFrom(pieces, at + 2 + page.length) : "";
  if (page === "" || total === "") return undefined;
  return { text: `Page ${page} (Total results: ${total})`, length: 2 + page.length + total.length };
}

function digitsFrom(pieces: readonly string[], at: number): string {
  const end = pieces.findIndex((piece, i) => i >= at && !/^\d$/.test(piece));
  return pieces.slice(at, end < 0 ? pieces.length : end).join("");
}

/** Makes the conversion of the page after a purchase: `thanks`, the ASIN, options, `score` and its digits. */
export function makeReceipts(phrases: Phrases, { optionNames }: Vocabulary, asins: readonly string[]): Phrases {
  const asinOf = new Map(asins.map((asin) => [toAsinWords(asin), asin]));
  return {
    toWords(page) {
      const texts = page.split(separator);
      const [asin = "", , json = ""] = texts.slice(receipt.head.length);
      const options = json.slice(1, -1).replaceAll(/"(.*?)": "(.*?)"(?:, )?/g, (_, name, value) => `${name} ${value} `);
      const score = texts.at(-1 - receipt.end.length) ?? "";
      const parts = ["thanks", toAsinWords(asin), phrases.toWords(options), "score", ...score.split("")];
      return parts.filter((part) => part !== "").join(" ");
    },
    fromWords(words) {
      const [, first, second, ...rest] = words.split(" ");
      const end = rest.indexOf("score");
      const asin = asinOf.get(`${first} ${second}`) ?? "";
      const options = toPairs(rest.slice(0, Math.max(end, 0))).map(([name, value]) => `"${name}": "${value}"`);
      const score = end < 0 ? "" : rest.slice(end + 1).join("");
      const json = `{${options.join(", ")}}`;
      return [...receipt.head, asin, "options", json, ...receipt.middle, score, ...receipt.end].join(separator);
    },
  };

  function toPairs(words: readonly string[]): (readonly [string, string])[] {
    const starts = words.flatMap((word, i) => (optionNames.has(word) ? [i] : []));
    return starts.map((start, i) => {
      const value = words.slice(start + 1, starts[i + 1]).join(" ");
      return [phrases.fromWords(words[start] ?? ""), phrases.fromWords(value)];
    });
  }
}
