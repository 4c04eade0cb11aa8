/** A policy's response as parsed by `parseResponse` or `parseLeniently`. */
export type Response = {
  /** True if the tags meet the parser's rule and the text has no Chinese characters. */
  isFormatValid: boolean;
  /** True if the text contains `<action>…</action>`, whether or not the whole format is valid. */
  isTagged: boolean;
  /** Text between the action tags, trimmed, in lower case; without tags, the last characters of the response. */
  action: string;
};

/** Action that an environment takes from a response (even an invalid one), and the validity of format and action. */
export type Projection = { isFormatValid: boolean; isActionValid: boolean; action: string };

const strict = /^\s*<think>.*?<\/think>\s*<action>.*?<\/action>\s*$/is;
const tagged = /<action>(.*?)<\/action>/is;
const chineseCharacter = /[\u4e00-\u9fff]/;
const tags = [/<think>/gi, /<\/think>/gi, /<action>/gi, /<\/action>/gi];

/** Parses a response by ARLArena's rule: the format spans the whole text. verl-agent accepts tags anywhere. */
export function parseResponse(text: string): Response {
  const action = tagged.exec(text)?.[1];
  return {
    isFormatValid: strict.test(text) && tags.every((tag) => countOf(text, tag) === 1) && !chineseCharacter.test(text),
    isTagged: action !== undefined,
    action: action === undefined ? text.slice(-30) : action.trim().toLowerCase(),
  };
}

/**
 * Parses a response by verl-agent's own rule: the first opening and the first closing action tag, anywhere in the
 * text. Without both tags, the action is the last `fallbackLength` characters in lower case.
 */
export function parseLeniently(text: string, fallbackLength: number): Response {
  const lower = text.toLowerCase();
  const [start, end] = [lower.indexOf("<action>"), lower.indexOf("</action>")];
  const isTagged = start >= 0 && end >= 0;
  const isThought = lower.includes("<think>") && lower.includes("</think>");
  return {
    isFormatValid: isTagged && isThought && !chineseCharacter.test(text),
    isTagged,
    action: isTagged ? lower.slice(start + "<action>".length, end).trim() : lower.slice(-fallbackLength),
  };
}

/** Formats a response in the one valid format, with words separated by single spaces, as the expert's responses are. */
export function formatResponse({ thought, action }: { thought: string; action: string }): string {
  return ["<think>", thought, "</think>", "<action>", action, "</action>"].filter((part) => part !== "").join(" ");
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
