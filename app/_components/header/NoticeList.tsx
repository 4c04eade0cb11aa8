"use client";
import { pages, runPage } from "#server/domain/pages.ts";
import type { inferRouterOutputs } from "@trpc/server";
import { Link } from "#app/_ui/Link.tsx";
import type { AppRouter } from "#server/api/root.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { severityLooks } from "../stability/statusLooks.ts";

type Notices = inferRouterOutputs<AppRouter>["stability"]["notices"];
type Props = Notices & {
  /** Closes the list: called when the alarms are marked as read, or a link in the list is opened. */
  onDone: () => void;
};

export function NoticeList({ numUnseen, events, onDone }: Props) {
  const trpc = useTrpc();
  const markSeen = useAction(trpc.stability.markSeen.mutationOptions(), {
    stale: [trpc.stability.notices.queryFilter()],
  });
  const newest = events[0]?.id;
  return (
    <>
      <div className="mb-2 flex items-baseline justify-between gap-2">
        <h2 className="font-semibold">Alarms</h2>
        {newest !== undefined && (
          <button
            type="button"
            className="text-sm text-accent hover:underline"
            onClick={() => {
              markSeen.mutate({ upToId: newest });
              onDone();
            }}
          >
            Mark all as read
          </button>
        )}
      </div>
      {events.length === 0 && <p className="text-muted">No new alarms.</p>}
      <AlarmList events={events} onOpen={onDone} />
      <p className="mt-2 text-xs text-muted">
        Alarms of branches are not listed here if the original run already had an alarm. The page Rescue shows the
        results of branches.
      </p>
      <p className="mt-2 text-xs">
        <Link href={pages.alerts} className="text-accent hover:underline" onClick={onDone}>
          Send alarms by e-mail, Slack or webhook
        </Link>
      </p>
      {numUnseen > events.length && (
        <p className="mt-2 text-xs text-muted">
          Shows {events.length} of {numUnseen} alarms. The page Stability lists all alarms.
        </p>
      )}
    </>
  );
}

function AlarmList({ events, onOpen }: Pick<Notices, "events"> & { onOpen: () => void }) {
  return (
    <ul className="space-y-2 text-sm">
      {events.map((event) => (
        <li key={event.id}>
          <Link
            href={`${runPage(event.runId)}?tab=stability`}
            className="block rounded-md p-1 hover:bg-sunken"
            onClick={onOpen}
          >
            <span className="font-medium">
              <span style={{ color: severityLooks[event.severity].color }}>{severityLooks[event.severity].title}</span>{" "}
              · {event.method} {event.label} seed {event.seed}, iteration {event.iteration}
            </span>
            <span className="block text-xs text-muted">{withoutSeverity(event)}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** Removes the severity at the start of an event's message, because the list shows it separately. */
function withoutSeverity({ severity, message }: Notices["events"][number]): string {
  const word = `${severityLooks[severity].title}: `;
  return message.startsWith(word) ? message.slice(word.length) : message;
}
