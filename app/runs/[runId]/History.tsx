import { Fragment, type ReactNode } from "react";
import type { RunDetail } from "#server/db/runs/runs.ts";
import { describeAftermath } from "#server/domain/fleet/cancellation.ts";
import { parseRunReason, parseRunStatus, reasonWords, titleOf } from "#server/domain/runs/runStatus.ts";
import { formatCount, formatDuration } from "#app/_charts/format.ts";
import { states } from "#app/_ui/states.ts";
import { Icon } from "#app/_ui/Icon.tsx";
import { Cell, Head, RecordTable, Table } from "#app/_ui/Table.tsx";
import type { ModelOrigin } from "#trainer/spec/event.ts";
import { IntegrityView } from "./IntegrityView.tsx";
import { CopyButton } from "#app/_ui/CopyButton.tsx";

export function History({ run }: { run: RunDetail }) {
  const rejected = run.attempts.flatMap(({ number, rejectedLines }) =>
    rejectedLines.map((line) => ({ ...line, number })),
  );
  return (
    <div className="space-y-6">
      <Part title="Attempts">
        {run.attempts.length === 0 ? (
          <p className="text-muted">No attempt yet: the run waits for a slot.</p>
        ) : (
          <Attempts run={run} />
        )}
      </Part>
      <ModelPart run={run} />
      {run.attempts.length > 0 && (
        <Part title="Integrity">
          <IntegrityView run={run} />
        </Part>
      )}
      <Part title="Changes of the run’s state, newest first">
        <Timeline run={run} />
      </Part>
      {rejected.length > 0 && (
        <Part title="Lines of the event log that could not be read">
          <Table caption="Lines of the event log that could not be read">
            <Head cells={["Attempt", { number: "Byte" }, "Problem", "Line"]} />
            <tbody>
              {rejected.map(({ number, offset, problem, text }) => (
                <tr key={`${number} ${offset}`}>
                  <Cell>{number}</Cell>
                  <Cell className="text-right">{offset.toLocaleString("en-US")}</Cell>
                  <Cell>{problem}</Cell>
                  <Cell className="font-mono text-xs break-all">{text}</Cell>
                </tr>
              ))}
            </tbody>
          </Table>
        </Part>
      )}
    </div>
  );
}

function ModelPart({ run }: { run: RunDetail }) {
  const models = prepareModels(run.attempts);
  if (models.length === 0) return null;
  return (
    <Part title="Pretrained model">
      <div className="flex flex-col gap-4">
        {models.map((model) => (
          <ModelView key={model.sha256} model={model} isAlone={models.length === 1} />
        ))}
      </div>
    </Part>
  );
}

function Attempts({ run }: { run: RunDetail }) {
  return (
    <RecordTable
      caption="Attempts"
      columns={[
        "Attempt",
        "Node",
        "State",
        "Began",
        "Duration",
        { number: "Event-log lines" },
        "Started as",
        "Ended with",
        "Next step",
      ]}
      rows={run.attempts.map((attempt) => ({
        key: attempt.number,
        cells: [
          attempt.number,
          attempt.host === null ? attempt.node : `${attempt.node}, ${attempt.host}`,
          <AttemptState key="state" attempt={attempt} />,
          <span key="began" className="whitespace-nowrap">
            <Moment at={attempt.createdAt} />
          </span>,
          <span key="duration" className="whitespace-nowrap">
            {attempt.endedAt ? formatDuration(attempt.endedAt.getTime() - attempt.createdAt.getTime()) : "–"}
          </span>,
          <Fragment key="lines">
            {attempt.numMetricLines.toLocaleString("en-US")}
            {attempt.numRejected > 0 && <span className="text-warn"> + {attempt.numRejected} unreadable</span>}
          </Fragment>,
          attempt.started ? (
            <span
              key="started"
              title={`Process ${attempt.started.pid}, code ${attempt.started.code.slice(0, 12)}`}
              className="sm:inline-block sm:min-w-50"
            >
              {formatCount(attempt.started.numParameters, "parameter")} on {attempt.started.host}, from iteration{" "}
              {attempt.started.firstIteration}
            </span>
          ) : (
            "–"
          ),
          formatEnd(attempt),
          attempt.aftermath ? (
            <span key="next" className="sm:inline-block sm:min-w-50">
              {describeAftermath(attempt.aftermath)}
            </span>
          ) : (
            "–"
          ),
        ],
      }))}
    />
  );
}

function AttemptState({ attempt }: { attempt: RunDetail["attempts"][number] }) {
  return (
    <span className="sm:inline-block sm:min-w-26">
      {attempt.live ? "in progress, " : ""}
      {attempt.jobState === "elsewhere" ? "imported" : attempt.jobState}
      {attempt.exitCode !== null && `, exit code ${attempt.exitCode}`}
      {attempt.jobText !== null && <span className="text-muted">: {attempt.jobText}</span>}
    </span>
  );
}

// Formats the studio's verdict and the trainer's last line, which may differ: a preempted job reports "interrupted".
function formatEnd({ reason, done }: RunDetail["attempts"][number]): string {
  const words = [
    reason && reasonWords[reason].title,
    done && (done.exit === reason ? done.reason : `${done.exit}: ${done.reason}`),
  ];
  return words.filter(Boolean).join("; ") || "–";
}

function Timeline({ run }: { run: RunDetail }) {
  if (run.statusEvents.length === 0) return <p className="text-muted">No change of state yet.</p>;
  return (
    <ol className="space-y-2 border-l border-line pl-4">
      {run.statusEvents.map((event) => {
        const status = parseRunStatus(event.status);
        const reason = parseRunReason(event.reason);
        return (
          <li key={event.id} className="flex flex-wrap items-baseline gap-x-2">
            <Icon name={states[status].icon} className="size-3.5 self-center text-muted" />
            <span className="font-medium">
              {titleOf(status, reason)}
              {reason && `: ${reasonWords[reason].title}`}
            </span>
            <span className="min-w-0 break-words">{event.text}</span>
            <span className="text-xs text-muted">
              {event.source}
              {event.attempt !== null && `, attempt ${event.attempt}`}, <Moment at={event.at} />
            </span>
          </li>
        );
      })}
    </ol>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h2 className="mb-2 font-semibold">{title}</h2>
      {children}
    </section>
  );
}

function ModelView({ model, isAlone }: { model: BegunWith; isAlone: boolean }) {
  const { name, commit, sha256, attempts } = model;
  const rows = [
    ["Name", name],
    ...(commit === undefined ? [] : [["Commit", commit]]),
    ["SHA-256 of the model’s files", sha256],
    ...(isAlone ? [] : [["Attempts", attempts.join(", ")]]),
  ] as const;
  return (
    <div className="flex max-w-3xl flex-col items-start gap-2">
      <dl className="grid gap-x-6 gap-y-1 sm:grid-cols-[auto_minmax(0,1fr)]">
        {rows.map(([label, value]) => (
          <div key={label} className="contents">
            <dt className="text-muted">{label}</dt>
            <dd className="font-mono text-sm break-all">{value}</dd>
          </div>
        ))}
      </dl>
      <p className="text-sm text-muted">
        The checksum covers all loaded files. To recompute the checksum, take the SHA-256 of the output of sha256sum for
        these files, sorted by name.
      </p>
      <CopyButton
        text={commit === undefined ? sha256 : `${name.split("@")[0]}@${commit}`}
        label={commit === undefined ? "Copy the checksum" : "Copy name and commit"}
      />
    </div>
  );
}

const format: Intl.DateTimeFormatOptions = { dateStyle: "medium", timeStyle: "medium" };

/** Shows a time in the reader's time zone, which the server does not know, so the first paint may differ. */
function Moment({ at }: { at: Date }) {
  return (
    <time dateTime={at.toISOString()} suppressHydrationWarning>
      {at.toLocaleString("en-GB", format)}
    </time>
  );
}

type BegunWith = ModelOrigin & { attempts: number[] };

export function prepareModels(
  attempts: readonly { number: number; started: { model?: ModelOrigin | undefined } | null }[],
): BegunWith[] {
  const found = new Map<string, BegunWith>();
  for (const { number, started } of attempts) {
    const model = started?.model;
    if (!model) continue;
    const key = JSON.stringify([model.name, model.commit, model.sha256]);
    const known = found.get(key) ?? { ...model, attempts: [] };
    found.set(key, { ...known, attempts: [...known.attempts, number] });
  }
  return [...found.values()];
}
