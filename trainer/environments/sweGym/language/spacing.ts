/** What stands between two words unless something else is said: nothing or one space. */
export type Spacing = {
  /** The gap before the next word; remembers it. */
  next(word: string): "" | " ";
};

const keywords = new Set(
  "return if for while of in let const else function import export from new typeof throw await case".split(" "),
);
const closing = new Set([")", "]", ",", ";", "++", "::", "."]);
const opening = new Set(["(", "[", "!", "...", "/testbed/", "./", "../", "::", "`", "'"]);

/** Spaces as this repository formats code, word by word from the start of a line. */
export function makeSpacing(): Spacing {
  let before = "";
  let beforeThat = "";
  let hasQuestion = false;
  const open = { '"': false, "`": false };

  function gapBefore(word: string): "" | " " {
    if (before === "") return "";
    const isQuote = word === '"' || word === "`";
    if (isQuote && open[word]) return "";
    if ((before === '"' || before === "`") && open[before]) return "";
    if (word === "'" || before === "'") return "";
    if (opening.has(before) && before !== "`") return "";
    if (before === "-" && isOperandExpected(beforeThat)) return "";
    if (closing.has(word) || word.startsWith("_") || isMember(word)) return "";
    if (word === ":") return hasQuestion || isNumber(before) ? " " : "";
    if ((word === "(" || word === "[") && isOperand(before)) return "";
    if (word === "}" && before === "{") return "";
    return isDigits(word) && isDigits(before) ? "" : " ";
  }

  return {
    next(word) {
      const gap = gapBefore(word);
      if (word === '"' || word === "`") open[word] = !open[word];
      if (word === "?") hasQuestion = true;
      [beforeThat, before] = [before, word];
      return gap;
    },
  };
}

/** After these a minus belongs to a number. */
function isOperandExpected(word: string): boolean {
  return word === "" || keywords.has(word) || /^(?:[-+*/%<>=!&|?:,;([{]+|=>)$/.test(word);
}

function isOperand(word: string): boolean {
  return (/^[\w$."]/.test(word) && !keywords.has(word)) || word === ")" || word === "]";
}

function isMember(word: string): boolean {
  return /^\.[A-Za-z$]/.test(word);
}

function isNumber(word: string): boolean {
  return isDigits(word);
}

function isDigits(word: string): boolean {
  return word !== "" && word.charCodeAt(0) >= 48 && word.charCodeAt(0) <= 57;
}
