"use client";
import { useState } from "react";
import type { Moment } from "#server/engine/playground/play.ts";
import { formatCount } from "#app/_charts/format.ts";
import { isSectionMark } from "./turns.ts";
import { Card } from "#app/_ui/Card.tsx";
import { classes } from "#app/_ui/classes.ts";
import { Choice } from "#app/_ui/Choice.tsx";

const kinds = [
  { value: "tokens", label: "As tokens" },
  { value: "full", label: "For an LLM" },
] as const;

export function PromptCard({ moment, isProse = false }: { moment: Moment; isProse?: boolean }) {
  const [kind, setKind] = useState<"tokens" | "full">("tokens");
  const choice = <Choice as="buttons" label="Prompt" options={kinds} value={kind} onChange={setKind} />;
  return (
    <Card title="Prompt" actions={isProse ? undefined : choice}>
      {isProse || kind === "full" ? <Conversation moment={moment} /> : <PromptTokens moment={moment} />}
    </Card>
  );
}

function Conversation({ moment: { conversation, shape } }: { moment: Moment }) {
  return (
    <>
      <p className="mb-2 text-sm text-muted">
        {shape === "windowed"
          ? "One message, rebuilt every turn"
          : `${formatCount(conversation.length, "message")} of one conversation; the policy’s text is shaded`}
        . The model’s chat template, which is added before the model reads the prompt, is not shown.
      </p>
      <pre
        tabIndex={0}
        aria-label="Prompt for an LLM"
        className="flex max-h-[32rem] flex-col gap-2 overflow-auto font-mono text-xs leading-5 break-words whitespace-pre-wrap"
      >
        {conversation.map(({ author, text }, i) => (
          <span key={i} className={classes(author === "policy" && "rounded-sm bg-accent/15 px-1")}>
            {text}
          </span>
        ))}
      </pre>
    </>
  );
}

function PromptTokens({ moment: { prompt, shape, unknownWords } }: { moment: Moment }) {
  const tokens = prompt.flatMap(({ author, words }) =>
    words
      .split(" ")
      .filter(Boolean)
      .map((text) => ({ author, text })),
  );
  return (
    <>
      <p className="mb-2 text-sm text-muted">
        {formatCount(tokens.length, "token")},{" "}
        {shape === "windowed"
          ? "in a prompt rebuilt every turn"
          : "in one growing transcript; the policy’s text is shaded"}
        {unknownWords.length > 0 && (
          <span className="text-warn">
            . Words missing from the vocabulary are read as &lt;unk&gt;: {unknownWords.join(", ")}
          </span>
        )}
      </p>
      <ol
        aria-label="Prompt as tokens"
        tabIndex={0}
        className="flex max-h-[32rem] flex-wrap gap-x-0.5 gap-y-1 overflow-y-auto font-mono text-xs leading-5"
      >
        {tokens.map(({ author, text }, i) => (
          <Token key={i} text={text} isOwn={author === "policy"} isUnknown={unknownWords.includes(text)} />
        ))}
      </ol>
    </>
  );
}

/** Draws one token of the prompt. A section marker begins a new line; a line-break token ends a line. */
function Token({ text, isOwn, isUnknown }: { text: string; isOwn: boolean; isUnknown: boolean }) {
  const isMark = isSectionMark(text);
  return (
    <>
      {isMark && <li aria-hidden="true" className="basis-full" />}
      <li
        className={classes(
          "rounded-sm border px-1",
          isUnknown ? "border-dashed border-warn text-warn" : "border-line",
          isOwn && "bg-accent/15",
          isMark && "font-semibold text-accent",
        )}
      >
        {text}
      </li>
      {text === "<nl>" && <li aria-hidden="true" className="basis-full" />}
    </>
  );
}
