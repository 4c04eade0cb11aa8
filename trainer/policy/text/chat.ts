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
/** Nothing that a template would trim or look for. */
const placeholder = "0placeholder0";

/** @param marks what templates call bos_token, eos_token, … */
export function makeChat(source: string, marks: Readonly<Record<string, string | null | undefined>>): Chat {
  const template = new Template(source);
  const defined = Object.fromEntries(Object.entries(marks).filter(([, mark]) => typeof mark === "string"));
  const render = (messages: readonly Message[]): string =>
    template.render({ ...defined, messages, add_generation_prompt: true, date_string: date });
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

/** Cut at the first two placeholders alone: the answer may say anything. */
function splitTwice(text: string): (string | undefined)[] {
  const first = text.indexOf(placeholder);
  const second = text.indexOf(placeholder, first + placeholder.length);
  if (first === -1 || second === -1) return [];
  return [text.slice(0, first), text.slice(first, second), text.slice(second + placeholder.length)];
}
