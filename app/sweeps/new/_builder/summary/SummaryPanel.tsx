"use client";
import { formatCount } from "#app/_charts/format.ts";
import { MethodChip } from "#app/_ui/MethodChip.tsx";
import { Card } from "#app/_ui/Card.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { ModelNeeds } from "../policy/ModelNeeds.tsx";
import type { Summary } from "./prepareSummary.ts";

const maxNotes = 2;

/** Summary of the launch: numbers of runs, warnings, and the first cells. */
export function SummaryPanel({ summary }: { summary: Summary }) {
  return (
    <Card title="Before launch">
      <p className="text-2xl font-semibold">{summary.runs}</p>
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
