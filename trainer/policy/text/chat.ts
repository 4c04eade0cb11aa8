import { Template } from "@huggingface/jinja";

export type Message = { readonly role: "system" | "user" | "assistant"; readonly content: string };

export type Chat = {
  /** Renders the whole conversation as text, up to the start of the assistant's next message. */
  readonly render: (messages: readonly Message[]) => string;
  /** Renders the end token of the assistant's message, a user's message, and the start of the assistant's next. */
  readonly renderAnswer: (content: string) => string;
};

/** Fixed date for templates that print one, so that runs are reproducible; the default of Llama's. */
const date = "26 Jul 2024";
/** Values of the format codes of `strftime` for `date` at midnight. */
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
/** Dummy message by which rendered texts are split. No template trims or searches it. */
const placeholder = "0placeholder0";

/** `source`: the template in Jinja. `marks`: special tokens by their names in templates, such as bos_token. */
export function makeChat(source: string, marks: Readonly<Record<string, string | null | undefined>>): Chat {
  // The template assigns the clock itself, because variables from outside cannot override the library's clock.
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

/** Splits a text at its first two placeholders only, because the message after them may contain any text. */
function splitTwice(text: string): (string | undefined)[] {
  const first = text.indexOf(placeholder);
  const second = text.indexOf(placeholder, first + placeholder.length);
  if (first === -1 || second === -1) return [];
  return [text.slice(0, first), text.slice(first, second), text.slice(second + placeholder.length)];
}
