import { keepTogether } from "#app/_ui/keepTogether.ts";
import { states } from "#app/_ui/states.ts";

/** The result of an analysis in a sentence, above its figures and tables. */
export function AnswerSentence({ text }: { text: string | undefined }) {
  return text === undefined || text === "" ? null : (
    <div className="max-w-prose space-y-1">
      <p className="text-lg leading-snug">{keepTogether(text)}</p>
      {/\bunclear\b/i.test(text) && <UnclearKey />}
    </div>
  );
}

/** Explains the word for runs between healthy and collapsed, below the first text of a page that contains it. */
export function UnclearKey() {
  const { meaning } = states.unclear;
  return (
    <p className="text-sm text-muted">
      <b className="font-medium">Unclear:</b> {meaning.slice(0, 1).toLowerCase() + meaning.slice(1)}
    </p>
  );
}
