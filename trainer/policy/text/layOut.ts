import type { TextTokenizer } from "./readTokenizer.ts";

/**
 * Formats the first message of a conversation with the chat template. A model without a template continues the plain
 * text.
 */
export function layOutFirst(text: string, { chat, startText }: TextTokenizer): string {
  return chat ? chat.render([{ role: "user", content: text }]) : `${startText}${text}\n`;
}

/**
 * Formats the environment's text that follows a response, without an end token before it: the response contains its
 * own end token, unless it was cut.
 */
export function layOutNext(text: string, { chat, stopTexts }: TextTokenizer): string {
  if (!chat) return `\n${text}\n`;
  const between = chat.renderAnswer(text);
  const end = stopTexts.find((mark) => between.startsWith(mark));
  return between.slice(end?.length ?? 0);
}
