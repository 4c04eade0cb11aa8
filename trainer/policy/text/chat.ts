import { Template } from "@huggingface/jinja";

export type Message = { readonly role: "system" | "user" | "assistant"; readonly content: string };

/** How a model was taught to see a conversation. */
export type Chat = {
  /** The whole conversation, ending where the assistant is to write. */
  readonly render: (messages: readonly Message[]) => string;
  /**
   * What stands between an assistant's text and its next one, where the user answers: the end mark of the first, the
   * answer, and what opens the second.
   */
  readonly renderAnswer: (content: string) => string;
};

/** Templates that date a conversation would make every day's run another one; this is the day that Llama's have without a clock. */
const date = "26 Jul 2024";
/** What `strftime` makes of that day at midnight. */
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
/** Nothing that a template would trim or look for. */
const placeholder = "0placeholder0";

/** @param marks what templates call bos_token, eos_token, … */
export function makeChat(source: string, marks: Readonly<Record<string, string | null | undefined>>): Chat {
  // The library's own clock cannot be passed over by a variable, only be set to one.
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

/** Cut at the first two placeholders alone: the answer may say anything. */
function splitTwice(text: string): (string | undefined)[] {
  const first = text.indexOf(placeholder);
  const second = text.indexOf(placeholder, first + placeholder.length);
  if (first === -1 || second === -1) return [];
  return [text.slice(0, first), text.slice(first, second), text.slice(second + placeholder.length)];
}
