"use client";
import { useImperativeHandle, useRef, useState, type Ref } from "react";
import { flushSync } from "react-dom";
import { Button } from "#app/_ui/Button.tsx";
import { Input, TextArea } from "#app/_ui/Input.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import type { EpisodePlay } from "./useEpisode.ts";

/** Placeholder for free text in a listed action. */
export const blank = "<your query>";

const kinds = [
  { value: "action", label: "Action" },
  { value: "response", label: "Whole response" },
] as const;

export type TypingHandle = {
  /** Fills in an action template and puts the cursor at its blank. */
  fillIn: (action: string) => void;
};
type Props = { isBusy: boolean; onReply: EpisodePlay["answer"]; ref: Ref<TypingHandle> };

/** Field for an action or a whole response in free text. */
export function Typing({ isBusy, onReply, ref }: Props) {
  const [kind, setKind] = useState<"action" | "response">("action");
  const [text, setText] = useState("");
  const input = useRef<HTMLInputElement>(null);
  useImperativeHandle(ref, () => ({
    fillIn(action) {
      flushSync(() => {
        setKind("action");
        setText(action.replace(blank, ""));
      });
      input.current?.focus();
      input.current?.setSelectionRange(action.indexOf(blank), action.indexOf(blank));
    },
  }));
  const send = () => {
    const forget = () => setText((now) => (now === text ? "" : now));
    onReply(kind === "action" ? { kind, action: text } : { kind, text }, forget);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) send();
      }}
      className="flex flex-wrap items-start gap-2"
    >
      <Choice as="buttons" label="Kind of reply" options={kinds} value={kind} onChange={setKind} />
      {kind === "action" ? (
        <Input
          ref={input}
          aria-label="Your action"
          placeholder="any text, admissible or not"
          className="min-w-48 flex-1 font-mono"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      ) : (
        <TextArea
          aria-label="Your whole response"
          placeholder="<think> why </think> <action> what </action>"
          rows={3}
          className="min-w-48 flex-1 font-mono"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      )}
      <Button type="submit" kind="primary" disabled={isBusy}>
        Send
      </Button>
    </form>
  );
}
