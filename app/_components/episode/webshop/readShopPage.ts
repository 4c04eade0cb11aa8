/** Content of a WebShop page in page order. Only an open article has option groups. */
export type ShopPage =
  | { kind: "search" }
  | { kind: "results"; pageNumber: number; numResults: number; buttons: string[]; articles: Article[] }
  | { kind: "item"; title: string; price: string; rating: string; options: OptionGroup[]; buttons: string[] }
  | { kind: "detail"; texts: string[]; buttons: string[] }
  | { kind: "receipt"; asin: string; options: [name: string, value: string][]; score: number };
type Article = { id: string; title: string; price: string };
export type OptionGroup = { name: string; values: string[] };

/**
 * Parses a page from the policy's observation; undefined if the text is not a shop page. @param admissible clickable actions: they separate an
 * article's option values from the names of their groups
 */
export function readShopPage(text: string, admissible: readonly string[]): ShopPage | undefined {
  if (text.startsWith(receiptHead)) return readReceipt(text.split(" [SEP] "));
  if (!text.startsWith("'") || !text.endsWith("'")) return undefined;
  const [first, second = "", ...rest] = text.slice(1, -1).split("' [SEP] '");
  if (first === "Search" && second === "") return { kind: "search" };
  if (first !== "Back to Search") return undefined;
  if (second.startsWith("Page ")) return readResults(second, rest);
  if (second !== "< Prev") return undefined;
  const buttons = [first, second];
  if (rest.at(-1) !== "Buy Now") return { kind: "detail", texts: rest, buttons };
  return readItem(rest, buttons, admissible);
}

function readResults(heading: string, texts: readonly string[]): ShopPage | undefined {
  const [, pageNumber, numResults] = /^Page (\d+) \(Total results: (\d+)\)$/.exec(heading) ?? [];
  const from = texts.indexOf("Next >") + 1;
  if (numResults === undefined || from === 0 || (texts.length - from) % 3 !== 0) return undefined;
  const articles: Article[] = [];
  for (let i = from; i < texts.length; i += 3) {
    const [id = "", title = "", price = ""] = texts.slice(i, i + 3);
    articles.push({ id, title, price });
  }
  const buttons = ["Back to Search", ...texts.slice(0, from)];
  return { kind: "results", pageNumber: Number(pageNumber), numResults: Number(numResults), buttons, articles };
}

function readItem(texts: readonly string[], above: string[], admissible: readonly string[]): ShopPage | undefined {
  const priceAt = texts.findLastIndex((text) => text.startsWith("Price: "));
  const [price, rating, ...below] = texts.slice(priceAt);
  const title = texts[priceAt - 1];
  if (title === undefined || price === undefined || !rating?.startsWith("Rating: ")) return undefined;
  const options = readOptions(texts.slice(0, priceAt - 1), admissible);
  if (options === undefined) return undefined;
  const buttons = [...above, ...below];
  return { kind: "item", title, price: price.slice(7), rating: rating.slice(8), options, buttons };
}

function readOptions(texts: readonly string[], admissible: readonly string[]): OptionGroup[] | undefined {
  const groups: OptionGroup[] = [];
  for (const text of texts) {
    const isValue = admissible.includes(`click[${text.toLowerCase()}]`);
    if (!isValue) groups.push({ name: text, values: [] });
    else if (groups.length === 0) return undefined;
    else groups.at(-1)?.values.push(text);
  }
  return groups.every(({ values }) => values.length > 0) ? groups : undefined;
}

const receiptHead = "Thank you for shopping with us!";

function readReceipt(texts: readonly string[]): ShopPage | undefined {
  const after = (label: string) => texts[texts.indexOf(label) + 1];
  const [asin, options, score] = [after("asin"), after("options"), after("Your score (min 0.0, max 1.0)")];
  if (asin === undefined || options === undefined || score === undefined) return undefined;
  return { kind: "receipt", asin, options: readChosen(options), score: Number(score) };
}

/** `{"color": "pink"}` */
function readChosen(text: string): [string, string][] {
  return [...text.matchAll(/("(?:[^"\\]|\\.)*"): ("(?:[^"\\]|\\.)*")/g)].map(([, name = "", value = ""]) => [
    String(JSON.parse(name)),
    String(JSON.parse(value)),
  ]);
}
