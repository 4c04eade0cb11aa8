"use client";
import type { RunDetail } from "#server/db/runs.ts";
import { formatCount, formatDuration } from "#app/_charts/format.ts";
import type { Settings } from "./prepareSettings.ts";

type Props = { run: RunDetail; settings: Settings; onWhole: () => void };

/**
 * Facts about the run: node and times, method, and settings that differ from the defaults. Always open on a wide screen; folded on a narrow one, so
 * that the curves come first.
 */
export function RunFacts({ run, settings, onWhole }: Props) {
  return (
    <details className="rounded-lg border border-line bg-surface p-3 text-sm xl:[&::details-content]:[content-visibility:visible]">
      <summary className="cursor-pointer text-base font-semibold xl:pointer-events-none xl:list-none">
        Run facts
      </summary>
      <dl className="mt-2 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
        <Fact title="Environment">{settings.environment}</Fact>
        {listFacts(run).map(({ title, text }) => (
          <Fact key={title} title={title}>
            {text}
          </Fact>
        ))}
        {settings.dimensions.map(({ title, kind }) => (
          <Fact key={title} title={title}>
            {kind}
          </Fact>
        ))}
      </dl>
      {settings.dimensions.length > 0 && <Differences settings={settings} onWhole={onWhole} />}
    </details>
  );
}

function Fact({ title, children }: { title: string; children: string }) {
  return (
    <>
      <dt className="text-muted">{title}</dt>
      <dd className="min-w-0 text-right break-words">{children}</dd>
    </>
  );
}

function Differences({
  settings: { differences, numUsual },
  onWhole,
}: Pick<Props, "onWhole"> & { settings: Settings }) {
  return (
    <>
      <h3 className="mt-3 border-t border-line pt-3 font-semibold">Differs from the defaults</h3>
      {differences.length === 0 && <p className="text-muted">Nothing: all values are the defaults.</p>}
      <dl className="mt-1 grid grid-cols-[minmax(6rem,1fr)_minmax(0,auto)] gap-x-4 gap-y-1">
        {differences.map(({ path, title, value, usual }) => (
          <div key={path} className="col-span-2 grid grid-cols-subgrid" title={`${path}, by default ${usual}`}>
            <dt className="text-muted">{title}</dt>
            <dd className="text-right wrap-anywhere">
              <span className="font-medium">{value}</span>
              <span className="text-muted">, not {usual}</span>
            </dd>
          </div>
        ))}
      </dl>
      <button type="button" className="mt-2 rounded text-accent hover:underline" onClick={onWhole}>
        {formatCount(numUsual, "value")} at the defaults
      </button>
    </>
  );
}

/** Place and time: the newest attempt's node and machine, and the run's duration so far. */
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
