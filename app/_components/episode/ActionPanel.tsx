"use client";
import { type Ref, useEffect, useEffectEvent, useImperativeHandle, useRef, useState } from "react";
import type { Moment } from "#server/engine/playground/play.ts";
import { formatCount } from "#app/_charts/format.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Card } from "#app/_ui/Card.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { Form, Input, TextArea } from "#app/_ui/Input.tsx";
import type { EpisodePlay } from "./useEpisode.ts";
import { flushSync } from "react-dom";
import { Choice } from "#app/_ui/Choice.tsx";

type Props = { episode: EpisodePlay; moment: Moment; onNextTask?: () => void };

export function ActionPanel({ episode, moment, onNextTask }: Props) {
  const { isBusy, answer, askExpert, goBackTo } = episode;
  const isOver = moment.ending !== "ongoing";
  const numTurns = moment.turns.length;
  const typing = useRef<TypingHandle>(null);
  const hasKeys = moment.admissible.includes("up");
  useActionKeys(isBusy ? [] : moment.admissible, (action) => answer({ kind: "action", action }));
  return (
    <Card
      title="Your move"
      actions={
        <>
          <Button {...whileBusy(isBusy, askExpert)} disabled={isOver}>
            Expert move
          </Button>
          <Button {...whileBusy(isBusy, () => goBackTo(numTurns - 1))} disabled={numTurns === 0}>
            Undo
          </Button>
          <Button {...whileBusy(isBusy, () => goBackTo(0))} disabled={numTurns === 0}>
            <Icon name="retry" /> Restart
          </Button>
          {onNextTask && (
            <Button kind={isOver ? "primary" : "plain"} onClick={onNextTask}>
              Next task
            </Button>
          )}
        </>
      }
    >
      {isOver ? (
        <p className="text-muted">The episode is over.</p>
      ) : (
        <div className="flex flex-col gap-3">
          <Admissible
            actions={moment.admissible}
            isBusy={isBusy}
            note={hasKeys ? "arrow keys work too" : undefined}
            onAct={(action) => (hasBlank(action) ? typing.current?.fillIn(action) : answer({ kind: "action", action }))}
          />
          <Typing ref={typing} isBusy={isBusy} onReply={answer} />
        </div>
      )}
    </Card>
  );
}

type AdmissibleProps = {
  actions: readonly string[];
  isBusy: boolean;
  note: string | undefined;
  onAct: (action: string) => void;
};

/** Returns true for an action template whose argument the user must type, such as WebShop's `search[<your query>]`. */
function hasBlank(action: string): boolean {
  return action.endsWith(`[${blank}]`);
}

/** Returns button props that ignore clicks while an action is sent; a disabled button would lose the focus. */
function whileBusy(isBusy: boolean, act: () => void) {
  return { "aria-disabled": isBusy || undefined, onClick: isBusy ? undefined : act };
}

/** Number of admissible actions above which their list gets a search field. */
const many = 24;

function Admissible({ actions, isBusy, note, onAct }: AdmissibleProps) {
  const [wanted, setWanted] = useState("");
  if (actions.length === 0)
    return <p className="text-sm text-muted">This environment does not list its actions. Type an action below.</p>;
  const shown = actions.filter((action) => action.toLowerCase().includes(wanted.toLowerCase()));
  return (
    <div>
      <div className="mb-1.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
        {[formatCount(actions.length, "admissible action"), ...(note ? [note] : [])].join("; ")}
        {actions.length > many && (
          <Input
            type="search"
            aria-label="Find an action"
            placeholder="Find an action"
            className="max-w-56"
            value={wanted}
            onChange={({ target }) => setWanted(target.value)}
          />
        )}
      </div>
      <ul aria-label="Admissible actions" className="flex max-h-48 flex-wrap gap-1.5 overflow-y-auto">
        {shown.map((action) => (
          <li key={action}>
            <button
              type="button"
              {...whileBusy(isBusy, () => onAct(action))}
              className="rounded-md border border-edge/60 bg-surface px-2 py-0.5 text-left font-mono text-sm hover:bg-sunken"
            >
              {action}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

const actionOfKey: Readonly<Record<string, string>> = {
  ArrowUp: "up",
  ArrowDown: "down",
  ArrowLeft: "left",
  ArrowRight: "right",
};

/** Arrow keys perform admissible moves, except in text fields and where the page itself uses these keys. */
function useActionKeys(admissible: readonly string[], onAct: (action: string) => void): void {
  const listen = useEffectEvent((event: KeyboardEvent) => {
    const action = actionOfKey[event.key];
    if (action === undefined || !admissible.includes(action)) return;
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.target instanceof Element && event.target.closest("input, select, textarea, [role=tab], dialog, pre"))
      return;
    event.preventDefault();
    onAct(action);
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => listen(event);
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}

/** Placeholder of the argument in an action template, which the user replaces. */
const blank = "<your query>";

const kinds = [
  { value: "action", label: "Action" },
  { value: "response", label: "Whole response" },
] as const;

type TypingHandle = {
  /** Puts an action template into the text field, and the text cursor in place of the template's placeholder. */
  fillIn: (action: string) => void;
};
type TypingProps = { isBusy: boolean; onReply: EpisodePlay["answer"]; ref: Ref<TypingHandle> };

function Typing({ isBusy, onReply, ref }: TypingProps) {
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
    <Form onSubmit={() => !isBusy && send()} className="flex flex-wrap items-start gap-2">
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
    </Form>
  );
}
