"use client";
import { pages } from "#server/domain/pages.ts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "#app/_ui/Link.tsx";
import type { PhaseColumn, PhasesAnswer } from "#server/api/analysis/phases.ts";
import type { PhaseDiagram, PhaseStudy } from "#server/domain/analysis/phases/diagram.ts";
import { formatCount } from "#app/_charts/format.ts";
import { Analysing, stoppable } from "#app/_components/Analysing.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { textPart } from "#app/_ui/address.ts";
import { buttonClasses } from "#app/_ui/Button.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import { EmptyState } from "#app/_ui/EmptyState.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { useAddress } from "#app/_ui/useAddress.ts";
import { NextCells } from "./NextCells.tsx";
import { PhaseFigure } from "./PhaseFigure.tsx";
import { PhaseTable } from "./PhaseTable.tsx";

const xPart = textPart("x");
const yPart = textPart("y");
const byPart = textPart("by");

/** Collapse rates over two settings, and the predicted boundary. */
export function PhasesView({ sweepIds }: { sweepIds: string[] }) {
  const trpc = useTrpc();
  const [x, setX] = useAddress(xPart);
  const [y, setY] = useAddress(yPart);
  const [by, setBy] = useAddress(byPart);
  const input = { sweepIds, ...(x && { x }), ...(y && { y }), ...(by && { by }) };
  const query = useQuery(
    trpc.stability.phases.queryOptions(input, { placeholderData: keepPreviousData, ...stoppable }),
  );
  const { data, error } = query;
  if (!data || error) return <Analysing name="phases" input={input} query={query} className="h-96" />;
  const { taken, study, columns } = data;
  if (!taken || !study) return <NothingVaries columns={columns} sweepId={sweepIds[0] ?? ""} />;
  return (
    <div className="space-y-5">
      <div className="flex flex-wrap gap-4">
        <ColumnChoice label="x-axis" columns={columns} value={taken.x} onChange={setX} />
        <ColumnChoice label="y-axis" columns={columns} value={taken.y} onChange={setY} />
        <Choice
          label="One diagram per"
          labelled="above"
          options={[
            { value: "none", label: "All runs in one" },
            ...toOptions(columns.filter(({ key }) => key !== taken.x && key !== taken.y)),
          ]}
          value={taken.by ?? "none"}
          onChange={setBy}
        />
      </div>
      <Phases data={data} study={study} sweepId={sweepIds[0] ?? ""} />
    </div>
  );
}

function Phases({ data, study, sweepId }: { data: PhasesAnswer; study: PhaseStudy; sweepId: string }) {
  const { runs, mixed, taken } = data;
  const numJudged = runs.length - study.numWithout;
  if (numJudged === 0) {
    return (
      <EmptyState title="No judged run yet">
        A run is judged in hindsight, after its end, if it has logged success.
      </EmptyState>
    );
  }
  const titleOf = ({ group }: PhaseDiagram) => (group === "" ? "All runs" : group);
  return (
    <>
      {mixed.length > 0 && (
        <Notice tone="warn">Within a cell, {mixed.join(", ")} varies too. The rates include its effect.</Notice>
      )}
      <div
        className={
          study.diagrams.length === 1
            ? "max-w-3xl"
            : "grid grid-cols-[repeat(auto-fill,minmax(min(26rem,100%),1fr))] gap-3"
        }
      >
        {study.diagrams.map((diagram) => (
          <PhaseFigure key={diagram.group} title={titleOf(diagram)} axes={study} diagram={diagram} runs={runs} />
        ))}
      </div>
      <p className="max-w-prose text-sm text-muted">
        Each cell shows how many of its judged runs collapsed; a deeper red is a larger share.{" "}
        {study.diagrams.some(({ fit }) => fit) &&
          "On the line, a logistic model of the two axes (no interaction, Firth’s penalty) predicts a collapse probability of 50 %. In the grey band, the 95 % interval of the prediction contains 50 %. "}
        {study.diagrams.some(({ next }) => next.length > 0) &&
          "The cross marks the cell whose runs would narrow the band most. "}
        Click a cell to compare its runs.{" "}
        {study.numWithout > 0 && `${formatCount(study.numWithout, "run")} left out: still in progress or not judged.`}
      </p>
      <NextCells study={study} sweepId={sweepId} axes={taken} />
      {study.diagrams.map((diagram) => (
        <details key={diagram.group}>
          <summary className="cursor-pointer text-sm">{titleOf(diagram)} as a table</summary>
          <PhaseTable title={titleOf(diagram)} axes={study} diagram={diagram} runs={runs} />
        </details>
      ))}
    </>
  );
}

function NothingVaries({ columns, sweepId }: { columns: readonly PhaseColumn[]; sweepId: string }) {
  const one = columns[0];
  return (
    <EmptyState
      title="Two settings must vary"
      actions={
        <Link className={buttonClasses("plain")} href={`${pages.newSweep}?from=${encodeURIComponent(sweepId)}`}>
          New sweep over two settings
        </Link>
      }
    >
      {one ? `Only ${one.title.toLowerCase()} varies in these runs.` : "No setting varies in these runs."} The diagram
      shows how often runs collapse over two settings, such as learning rate and minibatch.
    </EmptyState>
  );
}

type ChoiceProps = {
  label: string;
  columns: readonly PhaseColumn[];
  value: string;
  onChange: (key: string) => void;
};

function ColumnChoice({ label, columns, value, onChange }: ChoiceProps) {
  return <Choice label={label} labelled="above" options={toOptions(columns)} value={value} onChange={onChange} />;
}

function toOptions(columns: readonly PhaseColumn[]) {
  return columns.map(({ key, title, numLevels }) => ({ value: key, label: `${title} (${numLevels})` }));
}
