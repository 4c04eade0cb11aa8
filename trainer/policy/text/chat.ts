import { Template } from "@huggingface/jinja";

export type Message = { readonly role: "system" | "user" | "assistant"; readonly content: string };

/** Format of conversations in a model's training. */
export type Chat = {
  /** Renders the whole conversation, up to the start of the assistant's next text. */
  readonly render: (messages: readonly Message[]) => string;
  /**
   * Renders the text between two assistant texts with a user's message between them: the end token of the first, the
   * message, and the start of the second.
   */
  readonly renderAnswer: (content: string) => string;
};

/** Fixed date for templates that print one, so that runs repeat: the default of Llama's templates without a clock. */
const date = "26 Jul 2024";
/** Fields of `strftime` for that day at midnight. */
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
/** Text that no template trims or searches for. */
const placeholder = "0placeholder0";

/** @param marks special tokens, named in templates as bos_token, eos_token, … */
export function makeChat(source: string, marks: Readonly<Record<string, string | null | undefined>>): Chat {
  // The library's clock cannot be overridden by a variable from outside, only by an assignment in the template.
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

/** Splits at the first two placeholders only: the message may contain any text. */
function splitTwice(text: string): (string | undefined)[] {
  const first = text.indexOf(placeholder);
  const second = text.indexOf(placeholder, first + placeholder.length);
  if (first === -1 || second === -1) return [];
  return [text.slice(0, first), text.slice(first, second), text.slice(second + placeholder.length)];
}
