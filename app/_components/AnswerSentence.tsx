import { keepTogether } from "#app/_ui/keepTogether.ts";

/** The result of an analysis in a sentence, above its figures and tables. */
export function AnswerSentence({ text }: { text: string | undefined }) {
  return text === undefined || text === "" ? null : (
    <p className="max-w-prose text-lg leading-snug">{keepTogether(text)}</p>
  );
}
