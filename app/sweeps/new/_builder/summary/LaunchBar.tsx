"use client";
import { useState } from "react";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Button } from "#app/_ui/Button.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { useRefusal } from "#app/_ui/refusals.tsx";
import type { Problem } from "./describeIssue.ts";
import type { Summary } from "./prepareSummary.ts";

type Props = {
  summary: Summary | undefined;
  problems: readonly Problem[];
  isBusy: boolean;
  onLaunch: () => void;
};

/** Launch button with the number of runs and the blocking problems; on narrow screens it sticks to the bottom edge. Unusual plans need a confirmation. */
export function LaunchBar({ summary, problems, isBusy, onLaunch }: Props) {
  const [isAsking, setIsAsking] = useState(false);
  const refusal = useRefusal("change");
  const doubts = summary?.doubts ?? [];
  const launch = () => {
    setIsAsking(false);
    onLaunch();
  };
  return (
    <div className="sticky bottom-0 z-10 lg:bg-page lg:py-1 max-lg:-mx-3 max-lg:border-t max-lg:border-line max-lg:bg-surface max-lg:px-3 max-lg:py-2 max-lg:sm:-mx-6 max-lg:sm:px-6">
      <ActionButton
        kind="primary"
        className="w-full"
        disabled={!summary || isBusy}
        aria-describedby="launch-reason"
        onClick={doubts.length > 0 ? () => setIsAsking(true) : launch}
      >
        <Icon name="play" /> {isBusy ? "Launching…" : summary ? `Launch ${summary.runs}` : "Launch"}
      </ActionButton>
      <div id="launch-reason" className="mt-1 text-center text-xs text-muted">
        {refusal ?? (summary ? summary.time : <Problems problems={problems} />)}
      </div>
      <Dialog
        open={isAsking}
        title="Launch it like this?"
        onClose={() => setIsAsking(false)}
        footer={
          <>
            <Button onClick={() => setIsAsking(false)}>Change it</Button>
            <Button kind="primary" onClick={launch}>
              Launch {summary?.runs}
            </Button>
          </>
        }
      >
        <ul className="flex list-disc flex-col gap-1 pl-4">
          {doubts.map((doubt) => (
            <li key={doubt}>{doubt}</li>
          ))}
        </ul>
      </Dialog>
    </div>
  );
}

/** Links to fields that show their own problem, and the full text of problems without a field. */
function Problems({ problems }: Pick<Props, "problems">) {
  if (problems.length === 0) return null;
  return (
    <p>
      Fix first:{" "}
      {problems.map(({ text, section }, i) => (
        <span key={text}>
          {i > 0 && ", "}
          {section === undefined ? (
            text
          ) : (
            <a href={`#${section}`} className="text-accent hover:underline">
              {text}
            </a>
          )}
        </span>
      ))}
    </p>
  );
}
