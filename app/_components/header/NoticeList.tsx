"use client";
import { pages, runPage } from "#server/domain/pages.ts";
import type { inferRouterOutputs } from "@trpc/server";
import { Link } from "#app/_ui/Link.tsx";
import type { AppRouter } from "#server/api/root.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { describeFacts } from "#packages/detector";
import { Ago } from "#app/_components/Ago.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { textTones } from "#app/_ui/StatusPill.tsx";
import { stateOf } from "#app/_ui/states.ts";

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
          Shows {events.length} of {numUnseen} runs with alarms. The page Stability lists all alarms.
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
            <NoticeText event={event} />
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** Names a run's sweep, configuration and time, and says what its page says about its stability. */
function NoticeText({ event }: { event: Notices["events"][number] }) {
  const { sweepName, method, label, seed, createdAt, alarm, hindsight } = event;
  const { icon, tone } = stateOf({ alarm, hindsight });
  return (
    <>
      <span className="flex items-center gap-1.5 font-medium">
        <span className={textTones[tone]}>
          <Icon name={icon} className="size-3.5" />
        </span>
        {[method, label].filter(Boolean).join(" · ")}, seed {seed}
      </span>
      <span className="block">{describeFacts({ alarm, hindsight })}</span>
      <span className="block text-xs text-muted">
        {sweepName} · <Ago at={createdAt} />
      </span>
    </>
  );
}
