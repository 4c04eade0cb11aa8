import type { TextTokenizer } from "./readTokenizer.ts";

/** The first text of a conversation as a model reads it. One that knows no conversations goes on with the text as it is. */
export function layOutFirst(text: string, { chat, startText }: TextTokenizer): string {
  return chat ? chat.render([{ role: "user", content: text }]) : `${startText}${text}\n`;
}

/** What follows a response. That has its end mark already, unless it was cut: then there is none. */
export function layOutNext(text: string, { chat, stopTexts }: TextTokenizer): string {
  if (!chat) return `\n${text}\n`;
  const between = chat.renderAnswer(text);
  const end = stopTexts.find((mark) => between.startsWith(mark));
  return between.slice(end?.length ?? 0);
}
