import type { TextTokenizer } from "./readTokenizer.ts";

/**
 * Formats the first message of a conversation with the chat template. A model without a template continues the plain
 * text.
 */
export function layOutFirst(text: string, { chat, startText }: TextTokenizer): string {
  return chat ? chat.render([{ role: "user", content: text }]) : `${startText}${text}\n`;
}

/**
 * Formats the environment's text that follows a response. A response that was cut has no end token, and none is
 * added.
 */
export function layOutNext(text: string, { chat, stopTexts }: TextTokenizer): string {
  if (!chat) return `\n${text}\n`;
  const between = chat.renderAnswer(text);
  const end = stopTexts.find((mark) => between.startsWith(mark));
  return between.slice(end?.length ?? 0);
}
