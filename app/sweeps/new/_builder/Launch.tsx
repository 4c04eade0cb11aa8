import dynamic from "next/dynamic";
import { useState } from "react";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Skeleton } from "#app/_ui/Busy.tsx";
import { Button } from "#app/_ui/Button.tsx";
import { Card } from "#app/_ui/Card.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { MethodChip } from "#app/_ui/MethodChip.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { useRefusal } from "#app/_ui/refusals.tsx";
import { formatCount } from "#packages/base";
import type { Summary } from "./prepareSummary.ts";
import type { Problem } from "./problems.ts";

const ModelNeeds = dynamic(() => import("./Policy.tsx").then((module) => module.ModelNeeds));

type Props = {
  summary: Summary | undefined;
  /** True while the checks of a filled form are loaded. */
  isUnchecked: boolean;
  problems: readonly Problem[];
  isBusy: boolean;
  onLaunch: () => void;
};

/** Summary of the plan with the launch button, or the errors to fix; on narrow screens at the bottom edge. */
export function Launch({ summary, isUnchecked, problems, isBusy, onLaunch }: Props) {
  const [isAsking, setIsAsking] = useState(false);
  const refusal = useRefusal("change");
  const doubts = summary?.doubts ?? [];
  const launch = () => {
    setIsAsking(false);
    onLaunch();
  };
  return (
    <>
      {isUnchecked ? <Skeleton className="h-40" /> : <SummaryPanel summary={summary} problems={problems} />}
      <div className="sticky bottom-0 z-10 max-lg:-mx-3 max-lg:border-t max-lg:border-line max-lg:bg-surface max-lg:px-3 max-lg:py-2 lg:bg-page lg:py-1 max-lg:sm:-mx-6 max-lg:sm:px-6">
        <ActionButton
          kind="primary"
          className="w-full"
          disabled={!summary || problems.length > 0 || isBusy}
          aria-describedby="launch-reason"
          onClick={doubts.length > 0 ? () => setIsAsking(true) : launch}
        >
          <Icon name="play" /> {isBusy ? "Launching…" : summary ? `Launch ${summary.runs}` : "Launch"}
        </ActionButton>
        <div id="launch-reason" className="mt-1 text-center text-xs text-muted">
          {refusal ??
            (summary && problems.length === 0 ? (
              <span className="lg:hidden">{summary.time}</span>
            ) : (
              <ToFix problems={isUnchecked || problems.length > 0 ? problems : [noMethod]} />
            ))}
        </div>
        <Dialog
          open={isAsking}
          title="Launch with these warnings?"
          onClose={() => setIsAsking(false)}
          footer={
            <>
              <Button onClick={() => setIsAsking(false)}>Change the sweep</Button>
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
    </>
  );
}

/** Problem of the empty form, whose checks are not loaded yet. */
const noMethod: Problem = { text: "methods", section: "section-methods" };

function ToFix({ problems }: Pick<Props, "problems">) {
  if (problems.length === 0) return null;
  return (
    <p>
      {problems.every((one) => one === noMethod) ? "Still to choose:" : "Fix before the launch:"}{" "}
      {problems.map(({ text, section }, i) => (
        <span key={text}>
          {i > 0 && ", "}
          {section === undefined ? (
            text
          ) : (
            <a href={`#${section}`} className="text-accent underline" onClick={() => unfold(section)}>
              {text}
            </a>
          )}
        </span>
      ))}
    </p>
  );
}

function unfold(id: string): void {
  const section = document.getElementById(id);
  if (section instanceof HTMLDetailsElement) section.open = true;
}

const maxNotes = 2;

/** Sections without which there is nothing to run. */
const choices: readonly Problem["section"][] = ["section-methods", "section-environments"];

function nameOpen(problems: readonly Problem[]): string {
  const open = choices.filter((choice) => problems.some(({ section }) => section === choice));
  const named = open.map((choice) => (choice === "section-methods" ? "a method" : "an environment"));
  return named.length === 0 ? "a method and an environment" : named.join(" and ");
}

function SummaryPanel({ summary, problems }: Pick<Props, "summary" | "problems">) {
  if (summary === undefined) {
    const isChosen = problems.length > 0 && !problems.some(({ section }) => choices.includes(section));
    return (
      <Card title="Summary">
        <p className="text-2xl font-semibold">No runs yet</p>
        <p className="text-muted">
          {isChosen
            ? `Fix ${problems.map(({ text }) => text).join(", ")} to see the number of runs and their duration.`
            : `Choose ${nameOpen(problems)} to see the number of runs and their duration.`}
        </p>
      </Card>
    );
  }
  return (
    <Card title="Summary">
      <p className="text-2xl font-semibold">{summary.runs}</p>
      {problems.length > 0 && <p>Without the values to fix</p>}
      <p className="text-muted">{summary.product}</p>
      <p className="text-muted">{summary.time}</p>
      {summary.models.length > 0 && (
        <div className="mt-3">
          <ModelNeeds models={summary.models} />
        </div>
      )}
      <Notes notes={summary.notes.slice(0, maxNotes)} />
      {summary.notes.length > maxNotes && (
        <details className="mt-2 text-sm">
          <summary className="text-muted">{formatCount(summary.notes.length - maxNotes, "more note")}</summary>
          <Notes notes={summary.notes.slice(maxNotes)} />
        </details>
      )}
      <h3 className="mt-4 mb-1.5 text-xs font-medium text-muted">Cells</h3>
      <ul className="flex flex-col gap-1.5 text-sm">
        {summary.cells.map((cell) => (
          <li key={cell.index} className="flex flex-wrap items-baseline gap-x-2">
            <MethodChip name={cell.method} names={summary.methods} />
            <span className="text-xs text-muted">{cell.label}</span>
          </li>
        ))}
      </ul>
      {summary.numMoreCells > 0 && <p className="mt-1.5 text-xs text-muted">and {summary.numMoreCells} more</p>}
    </Card>
  );
}

function Notes({ notes }: { notes: readonly string[] }) {
  return (
    <ul className="mt-2 flex flex-col gap-1.5 text-sm">
      {notes.map((note) => (
        <li key={note}>
          <Notice>{note}</Notice>
        </li>
      ))}
    </ul>
  );
}
