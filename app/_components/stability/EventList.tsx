"use client";
import { runPage } from "#server/domain/pages.ts";
import { Link } from "#app/_ui/Link.tsx";
import { useState } from "react";
import type { CollapseEventRow, Verdict } from "#server/db/analysis/collapseEvents.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Form, Input } from "#app/_ui/Input.tsx";
import { StatusPill } from "#app/_ui/StatusPill.tsx";
import { states } from "#app/_ui/states.ts";

const maxShown = 12;
/** Number of events with which a list shows that it has more. */
export const numEventsAtFirst = maxShown + 1;

type Props = {
  events: readonly CollapseEventRow[];
  hasRun?: boolean;
  /** Requests the other events, if only the first `numEventsAtFirst` were requested. */
  onAll?: (() => void) | undefined;
};

export function EventList({ events, hasRun = false, onAll }: Props) {
  const [isAll, setIsAll] = useState(false);
  if (events.length === 0) return <p className="text-muted">No events.</p>;
  const shown = isAll ? events : events.slice(0, maxShown);
  const showAll = () => {
    setIsAll(true);
    onAll?.();
  };
  return (
    <>
      <ul className="divide-y divide-line">
        {shown.map((event) => (
          <EventItem key={event.id} event={event} hasRun={hasRun} />
        ))}
      </ul>
      {shown.length < events.length && (
        <button type="button" className="mt-2 text-accent hover:underline" onClick={showAll}>
          {onAll ? "Show all events" : `${maxShown} of ${events.length} events; show all`}
        </button>
      )}
    </>
  );
}

function EventItem({ event, hasRun }: { event: CollapseEventRow; hasRun: boolean }) {
  const look = states[event.severity];
  const { from, to, groups } = event.evidence;
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-1 py-2">
      <span className="w-24 shrink-0">
        <StatusPill tone={look.tone} icon={look.icon}>
          {look.title}
        </StatusPill>
      </span>
      <div className="min-w-56 flex-1">
        <p>
          {withoutStatus(event.message, look.title)}
          {event.verdict && <span className="ml-2 text-xs font-medium text-accent">{event.verdict}</span>}
        </p>
        <p className="text-xs text-muted">
          {hasRun && (
            <Link
              href={`${runPage(event.runId)}?tab=stability`}
              className="mr-2 text-accent underline underline-offset-2"
            >
              {[event.method, event.label].filter(Boolean).join(" ")}, seed {event.seed}
            </Link>
          )}
          iteration {event.iteration}, evidence from iterations {from} to {to}
          {Object.keys(groups).length > 0 &&
            `, signals: ${Object.keys(groups)
              .map((group) => groupTitles[group] ?? group)
              .join(", ")}`}
          {event.note !== "" && ` · “${event.note}”`}
        </p>
      </div>
      <VerdictButtons event={event} />
    </li>
  );
}

/** Titles of the detector's groups of signals, within a sentence. */
const groupTitles: Readonly<Record<string, string>> = {
  gradient: "gradient norm",
  reference: "KL to reference",
  ratio: "ratio of new to old policy",
  length: "response length",
  action: "invalid actions",
  reward: "return spread in a group",
  hacking: "reward hacking",
  performance: "success",
};

/** Removes the status that begins a message, because the pill beside it says the same. */
function withoutStatus(message: string, status: string): string {
  const rest = message.startsWith(`${status}: `) ? message.slice(status.length + 2) : message;
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

function VerdictButtons({ event }: { event: CollapseEventRow }) {
  const trpc = useTrpc();
  const [note, setNote] = useState<string | null>(null);
  const judge = useAction(trpc.stability.judge.mutationOptions(), {
    stale: [trpc.stability.pathFilter()],
    onDone: () => setNote(null),
  });
  const store = (verdict: Verdict | null, text = event.note) => judge.mutate({ id: event.id, verdict, note: text });
  if (note !== null) {
    return (
      <Form className="flex gap-1" onSubmit={() => store(event.verdict, note)}>
        <Input autoFocus aria-label="Note" value={note} onChange={({ target }) => setNote(target.value)} />
        <ActionButton type="submit">Save</ActionButton>
      </Form>
    );
  }
  return (
    <div className="flex gap-1" role="group" aria-label={`Verdict on iteration ${event.iteration}`}>
      {(["confirmed", "rejected"] as const).map((verdict) => (
        <ActionButton
          key={verdict}
          kind="quiet"
          className="px-2 text-xs aria-pressed:bg-sunken aria-pressed:text-text"
          aria-pressed={event.verdict === verdict}
          onClick={() => store(event.verdict === verdict ? null : verdict)}
        >
          {verdict === "confirmed" ? "Confirm" : "Reject"}
        </ActionButton>
      ))}
      <ActionButton kind="quiet" className="px-2 text-xs" onClick={() => setNote(event.note)}>
        Note
      </ActionButton>
    </div>
  );
}
