import { useState } from "react";
import type { RunDetail } from "#server/db/runs/runs.ts";
import { choiceTitles } from "#server/domain/plan/sweep/dependence.ts";
import { formatCount, formatDuration } from "#app/_charts/format.ts";
import type { Settings } from "./prepareSettings.ts";

type Props = { run: RunDetail; settings: Settings };

/** Lists the run's facts in one line, above the charts, which take the full width. */
export function RunFacts({ run, settings }: Props) {
  const facts = [
    { title: "Environment", text: settings.environment },
    { title: "Chosen", text: choiceTitles[run.choice] },
    ...listFacts(run),
    ...settings.dimensions.map(({ title, kind }) => ({ title, text: kind })),
  ];
  return (
    <dl aria-label="Facts about this run" className="mb-4 flex flex-wrap gap-x-5 gap-y-1 text-sm">
      {facts.map(({ title, text }) => (
        <div key={title} className="flex gap-x-1.5">
          <dt className="text-muted">{title}</dt>
          <dd className="min-w-0 break-words">{text}</dd>
        </div>
      ))}
    </dl>
  );
}

type DifferencesProps = { settings: Settings; onWhole: () => void };

/** Number of changed settings shown at first, so that the curves are on the first screen of a phone. */
const numAtFirst = 4;

export function Differences({ settings: { differences, numUsual }, onWhole }: DifferencesProps) {
  const [isOpen, setOpen] = useState(false);
  const numMore = differences.length - numAtFirst;
  const shown = isOpen ? differences : differences.slice(0, numAtFirst);
  const link = "rounded text-sm text-accent hover:underline";
  return (
    <section aria-label="Settings that differ from the defaults" className="mb-4 flex flex-wrap items-baseline gap-2">
      <h2 className="text-sm text-muted">
        {differences.length === 0
          ? "All settings have their default values."
          : "Settings that differ from the defaults:"}
      </h2>
      <ul className="contents">
        {shown.map(({ path, title, value, usual }) => (
          <li
            key={path}
            title={`${path}, by default ${usual}`}
            className="rounded-md border border-line bg-surface px-2 py-0.5 text-sm wrap-anywhere"
          >
            <span className="text-muted">{title}</span> <span className="font-medium">{value}</span>
            <span className="text-muted">, default {usual}</span>
          </li>
        ))}
      </ul>
      {numMore > 0 && (
        <button type="button" className={link} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Show fewer" : formatCount(numMore, "more difference")}
        </button>
      )}
      <button type="button" className={link} onClick={onWhole}>
        {formatCount(numUsual, "setting")} with the default value
      </button>
    </section>
  );
}

function listFacts({ attempts: [newest], startedAt, endedAt }: RunDetail): { title: string; text: string }[] {
  const machine = newest?.host ? `${newest.node}, ${newest.host}` : newest?.node;
  return [
    ...(machine ? [{ title: "Node", text: machine }] : []),
    ...(startedAt ? [{ title: "Started", text: startedAt.toISOString().slice(0, 16).replace("T", " ") + " UTC" }] : []),
    ...(startedAt && endedAt
      ? [{ title: "Duration", text: formatDuration(endedAt.getTime() - startedAt.getTime()) }]
      : []),
  ];
}
