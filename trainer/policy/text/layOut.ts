import type { TextTokenizer } from "./readTokenizer.ts";

/** The first text of a conversation as the model reads it. A model without a chat template continues the plain text. */
export function layOutFirst(text: string, { chat, startText }: TextTokenizer): string {
  return chat ? chat.render([{ role: "user", content: text }]) : `${startText}${text}\n`;
}

/** Text that follows a response. A response has its end token already unless it was cut; then none is added. */
export function layOutNext(text: string, { chat, stopTexts }: TextTokenizer): string {
  if (!chat) return `\n${text}\n`;
  const between = chat.renderAnswer(text);
  const end = stopTexts.find((mark) => between.startsWith(mark));
  return between.slice(end?.length ?? 0);
}
