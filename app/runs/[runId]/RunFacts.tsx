import { Fragment, useState } from "react";
import type { RunDetail } from "#server/db/runs/runs.ts";
import { formatCount, formatDuration } from "#app/_charts/format.ts";
import type { Settings } from "./prepareSettings.ts";

type Props = { run: RunDetail; settings: Settings };

/** Lists the run's facts; on a narrow screen they are collapsed, so that the curves come first. */
export function RunFacts({ run, settings }: Props) {
  const facts = [
    { title: "Environment", text: settings.environment },
    { title: "Chosen as", text: run.choice },
    ...listFacts(run),
    ...settings.dimensions.map(({ title, kind }) => ({ title, text: kind })),
  ];
  return (
    <details className="rounded-lg border border-line bg-surface p-3 text-sm xl:[&::details-content]:[content-visibility:visible]">
      <summary className="cursor-pointer text-base font-semibold xl:pointer-events-none xl:list-none">
        Facts about this run
      </summary>
      <dl className="mt-2 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
        {facts.map(({ title, text }) => (
          <Fragment key={title}>
            <dt className="text-muted">{title}</dt>
            <dd className="min-w-0 text-right break-words">{text}</dd>
          </Fragment>
        ))}
      </dl>
    </details>
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
