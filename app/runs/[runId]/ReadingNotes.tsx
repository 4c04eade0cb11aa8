import type { RunDetail } from "#server/db/runs.ts";
import { Notice } from "#app/_ui/Notice.tsx";

/** Notes on reading another trainer's log: where it went back, its unit of success, and lines not understood. */
export function ReadingNotes({ run }: { run: RunDetail }) {
  const notes = run.statusEvents.filter(({ reason }) => reason === "reading").toReversed();
  if (notes.length === 0) return null;
  return (
    <section aria-label="How the log was read" className="mb-4">
      <Notice tone="warn">
        <ul className="space-y-1 text-sm break-words">
          {notes.map(({ id, text }) => (
            <li key={id}>{text}</li>
          ))}
        </ul>
      </Notice>
    </section>
  );
}
