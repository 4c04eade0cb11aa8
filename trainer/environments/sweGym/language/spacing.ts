/** Predictor of the gap between two words, nothing or one space. Special layout words encode any other gap. */
export type Spacing = {
  /** Returns the gap that is expected before this word, and remembers the word. */
  next(word: string): "" | " ";
};

const keywords = new Set(
  "returns raises return if elif else for while of in is not and or def class import from lambda yield raise assert with as del".split(
    " ",
  ),
);
const closing = new Set([")", "]", "}", ",", ";", "::", "."]);
const opening = new Set(["(", "[", "{", "/testbed/", "::", "`", "'", "test_"]);

/** Makes a predictor of gaps by the rules of PEP 8. It reads word after word from the start of a line. */
export function makeSpacing(): Spacing {
  let before = "";
  let beforeThat = "";
  const brackets: string[] = [];
  const open = { '"': false, "`": false };

  function gapBefore(word: string): "" | " " {
    if (before === "") return "";
    const isQuote = word === '"' || word === "`";
    if (isQuote && open[word]) return "";
    if ((before === '"' || before === "`") && open[before]) return "";
    if (word === "'" || before === "'") return "";
    if (opening.has(before) && before !== "`") return "";
    if (unary.has(before) && isOperandExpected(beforeThat)) return "";
    if (closing.has(word) || word.startsWith("_")) return "";
    // A word like `.name` follows without a space, except in a relative import, where a keyword precedes it.
    if (isMember(word)) return keywords.has(before) ? " " : "";
    const bracket = brackets.at(-1);
    // The `=` of a keyword argument has no spaces around it.
    if (bracket === "(" && (word === "=" || before === "=")) return "";
    // A separate colon follows the line number of an edit command. A search hit's colon is part of its position.
    if (word === ":") return isDigits(before) && isFile(beforeThat) ? " " : "";
    if (before === ":" && (bracket === "[" || isFile(beforeThat))) return "";
    if ((word === "(" || word === "[") && isOperand(before)) return "";
    if (before === "." && isDigits(beforeThat) && isDigits(word)) return "";
    return isDigits(word) && isDigits(before) ? "" : " ";
  }

  return {
    next(word) {
      const gap = gapBefore(word);
      if (word === '"' || word === "`") open[word] = !open[word];
      if (word === "(" || word === "[" || word === "{") brackets.push(word);
      if (word === ")" || word === "]" || word === "}") brackets.pop();
      [beforeThat, before] = [before, word];
      return gap;
    },
  };
}

/** Operators that are unary if no operand precedes them: signs, and the unpacking of a list or a dict. */
const unary = new Set(["-", "*", "**"]);

function isOperandExpected(word: string): boolean {
  return word === "" || keywords.has(word) || /^[-+*/%<>=!&|?:,;([{]+$/.test(word);
}

function isOperand(word: string): boolean {
  return (/^[\w."']/.test(word) && !keywords.has(word)) || word === ")" || word === "]";
}

function isMember(word: string): boolean {
  return /^\.[A-Za-z_]/.test(word);
}

function isFile(word: string): boolean {
  return word.endsWith(".py");
}

function isDigits(word: string): boolean {
  return word !== "" && word.charCodeAt(0) >= 48 && word.charCodeAt(0) <= 57;
}
