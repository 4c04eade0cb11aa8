"use client";
import { useQuery } from "@tanstack/react-query";
import { titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { pages } from "#server/domain/pages.ts";
import { Analysing, keptStoppable } from "#app/_components/Analysing.tsx";
import { ExportableTable, FoldedTable } from "#app/_components/table/ExportableTable.tsx";
import { moveColumn } from "#app/_components/table/moveColumn.ts";
import { OpenStudy } from "#app/_components/OpenStudy.tsx";
import { useDependent } from "#app/_components/sweeps/LeftOutNote.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { AddressChoice } from "#app/_ui/AddressChoice.tsx";
import { optionPart, textPart } from "#app/_ui/address.ts";
import { ButtonLink } from "#app/_ui/Link.tsx";
import { Busy } from "#app/_ui/Busy.tsx";
import { toOptions } from "#app/_ui/Choice.tsx";
import { EmptyState } from "#app/_ui/Notice.tsx";
import { useAddress } from "#app/_ui/useAddress.ts";
import { Answered } from "../Studied.tsx";
import { FlowFigure, FlowTranscripts } from "./FlowFigure.tsx";
import { Transcripts } from "./Transcripts.tsx";

const divisions = toOptions({
  outcome: "Success and failure",
  training: "Before and after training",
  configuration: "Configurations",
});
const byPart = optionPart("by", divisions, "outcome");
const episodes = toOptions({ all: "All", success: "Successful", failure: "Failed" });
const onlyPart = optionPart("only", episodes, "all");
const environmentPart = textPart("environment");
const depths = ["4", "6", "8", "12", "16"].map((value) => ({ value, label: value }));
const depthPart = optionPart("depth", depths, "8");
const thresholds = toOptions({ "0": "0 %", "0.01": "1 %", "0.03": "3 %", "0.1": "10 %" });
const thresholdPart = optionPart("threshold", thresholds, "0.03");

function NoActions() {
  return (
    <EmptyState
      title="No evaluation logged its actions"
      actions={
        <>
          <OpenStudy study="behaviour" />
          <ButtonLink href={pages.sweeps}>Choose other sweeps</ButtonLink>
        </>
      }
    >
      This page shows which actions follow each other in successful and failed episodes. Runs of this trainer log the
      actions of their evaluations, unless their plan switches it off. Recorded studies of earlier versions and runs of
      other trainers have none.
    </EmptyState>
  );
}

/** Page about the agent's actions: which follow each other in different groups of episodes. */
export function BehaviourView({ sweepIds }: { sweepIds: string[] }) {
  const [by] = useAddress(byPart);
  const [environment] = useAddress(environmentPart);
  const [only] = useAddress(onlyPart);
  const [depth] = useAddress(depthPart);
  const [threshold] = useAddress(thresholdPart);
  const drawn = { depth: Number(depth), threshold: Number(threshold) };
  const chosen = { by, ...(environment !== "" && { environment }), ...(only !== "all" && { only }) };
  const input = { sweepIds, ...drawn, ...chosen, ...useDependent() };
  const query = useQuery(useTrpc().analysis.behaviour.queryOptions(input, keptStoppable));
  const { data, error, isPlaceholderData } = query;
  if (!data || error) return <Analysing name="behaviour" input={input} query={query} className="h-96" />;
  if (data.environments.length === 0) return <NoActions />;
  const environments = data.environments.map((id) => ({ value: id, label: titleOfEnvironment(id) }));
  const beside = data.transcripts.map((transcripts, r) =>
    transcripts.length > 0 ? <Transcripts key={r} transcripts={transcripts} /> : undefined,
  );
  const q = data.table.columns.findIndex(({ key }) => key === "q");
  // Without a difference, the sentence says all that the table does.
  const differs = data.table.rows.some(({ cells }) => cells[q]?.kind === "number" && cells[q].value < 0.05);
  const Transitions = differs ? ExportableTable : FoldedTable;
  return (
    <div className="space-y-5">
      <Answered answer={data} />
      <div className="flex flex-wrap gap-4">
        <AddressChoice label="Compare" part={byPart} options={divisions} />
        <AddressChoice label="Episodes" part={onlyPart} options={episodes} />
        {environments.length > 1 && <AddressChoice label="Environment" part={environmentPart} options={environments} />}
        <AddressChoice label="Turns" part={depthPart} options={depths} />
        <AddressChoice label="Join actions below" part={thresholdPart} options={thresholds} />
      </div>
      <Busy isBusy={isPlaceholderData} className="space-y-5">
        <div className="space-y-4">
          {data.flows.map(({ title, ...flow }) => (
            <div key={title}>
              <FlowFigure {...{ title, flow }} types={data.types} />
              <FlowTranscripts {...{ title, flow }} types={data.types} />
            </div>
          ))}
        </div>
        <Transitions
          table={moveColumn(moveColumn(data.table, "ratio", "reference"), "q", "reference")}
          longCsv={data.longCsv}
          beside={{ header: "Transcripts", cells: beside, none: <Transcripts transcripts={[]} /> }}
        />
      </Busy>
      <details className="text-sm text-muted">
        <summary className="cursor-pointer">Types of actions</summary>
        <dl className="mt-2 grid gap-x-3 gap-y-1 sm:grid-cols-[max-content_1fr]">
          {data.types.map(({ letter, name, meaning }) => (
            <div key={letter} className="contents">
              <dt className="text-text">{name}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      </details>
    </div>
  );
}
