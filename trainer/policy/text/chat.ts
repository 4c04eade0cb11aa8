import { Template } from "@huggingface/jinja";

export type Message = { readonly role: "system" | "user" | "assistant"; readonly content: string };

/** Chat format with which a model was trained. */
export type Chat = {
  /** Renders the whole conversation, up to the start of the assistant's next message. */
  readonly render: (messages: readonly Message[]) => string;
  /**
   * Renders the text between two messages of the assistant. The text has the end token of the first message, the user's
   * message `content`, and the start of the second message.
   */
  readonly renderAnswer: (content: string) => string;
};

/** Fixed date for templates that print the date, so that runs are reproducible: the default of Llama's templates. */
const date = "26 Jul 2024";
/** Fields of `strftime` for `date` at midnight. */
const partsOfDate: Readonly<Record<string, string>> = {
  Y: "2024",
  y: "24",
  m: "07",
  B: "July",
  b: "Jul",
  d: "26",
  j: "208",
  A: "Friday",
  a: "Fri",
  H: "00",
  I: "12",
  M: "00",
  S: "00",
  p: "AM",
  "%": "%",
};
/** Text that no template trims or searches. */
const placeholder = "0placeholder0";

/**
 * @param marks special tokens by their names in templates: bos_token, eos_token, …
 */
export function makeChat(source: string, marks: Readonly<Record<string, string | null | undefined>>): Chat {
  // Outside variables cannot override the library's clock; only an assignment in the template can.
  const template = new Template(`{% set strftime_now = dated %}{{ "" }}${source}`);
  const defined = Object.fromEntries(Object.entries(marks).filter(([, mark]) => typeof mark === "string"));
  const render = (messages: readonly Message[]): string =>
    template.render({ ...defined, messages, add_generation_prompt: true, date_string: date, dated: formatDate });
  return {
    render,
    renderAnswer(content) {
      const whole = render([
        { role: "user", content: placeholder },
        { role: "assistant", content: placeholder },
        { role: "user", content },
      ]);
      const [, , answer] = splitTwice(whole);
      if (answer === undefined) throw new Error("the chat template leaves out what the assistant has written");
      return answer;
    },
  };
}

function formatDate(format: string): string {
  return format.replaceAll(/%([A-Za-z%])/g, (whole, letter: string) => partsOfDate[letter] ?? whole);
}

/** Splits a text at its first two placeholders only, because the message may contain any text. */
function splitTwice(text: string): (string | undefined)[] {
  const first = text.indexOf(placeholder);
  const second = text.indexOf(placeholder, first + placeholder.length);
  if (first === -1 || second === -1) return [];
  return [text.slice(0, first), text.slice(first, second), text.slice(second + placeholder.length)];
}
