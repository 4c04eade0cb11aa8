import type { TextTokenizer } from "./readTokenizer.ts";

/** First message in the chat template; a model without a template continues the plain text. */
export function layOutFirst(text: string, { chat, startText }: TextTokenizer): string {
  return chat ? chat.render([{ role: "user", content: text }]) : `${startText}${text}\n`;
}

/** Text that follows a response, without an end token before it: the response has its own, unless it was cut. */
export function layOutNext(text: string, { chat, stopTexts }: TextTokenizer): string {
  if (!chat) return `\n${text}\n`;
  const between = chat.renderAnswer(text);
  const end = stopTexts.find((mark) => between.startsWith(mark));
  return between.slice(end?.length ?? 0);
}
