"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import type { Table } from "#packages/tables";
import { pages } from "#server/domain/pages.ts";
import { AnswerSentence } from "#app/_components/AnswerSentence.tsx";
import { Analysing, stoppable } from "#app/_components/Analysing.tsx";
import { ExportableTable } from "#app/_components/table/ExportableTable.tsx";
import { OpenStudy } from "#app/_components/OpenStudy.tsx";
import { LeftOutNote, useDependent } from "#app/_components/sweeps/LeftOutNote.tsx";
import type { AnswerTo } from "#server/api/publish/answers.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { choicePart, optionPart, textPart } from "#app/_ui/address.ts";
import { buttonClasses } from "#app/_ui/Button.tsx";
import { Link } from "#app/_ui/Link.tsx";
import { Busy } from "#app/_ui/Busy.tsx";
import { ChoiceField, type Option } from "#app/_ui/Choice.tsx";
import { EmptyState } from "#app/_ui/Notice.tsx";
import { useAddress } from "#app/_ui/useAddress.ts";
import { FlowFigure } from "./FlowFigure.tsx";
import { FlowTranscripts, Transcripts } from "./Transcripts.tsx";

const divisions = [
  { value: "outcome", label: "Success and failure" },
  { value: "training", label: "Before and after training" },
  { value: "configuration", label: "Configurations" },
] as const satisfies Option<string>[];
type Division = (typeof divisions)[number]["value"];
const byPart = optionPart<Division>("by", divisions, "outcome");
const episodes = [
  { value: "all", label: "All" },
  { value: "success", label: "Successful" },
  { value: "failure", label: "Failed" },
] as const satisfies Option<string>[];
const onlyPart = optionPart<(typeof episodes)[number]["value"]>("only", episodes, "all");
const environmentPart = textPart("environment");
const depths = ["4", "6", "8", "12", "16"] as const;
const depthPart = choicePart<(typeof depths)[number]>("depth", depths, "8");
const thresholds = ["0", "0.01", "0.03", "0.1"] as const;
const thresholdPart = choicePart<(typeof thresholds)[number]>("threshold", thresholds, "0.03");

function NoActions() {
  return (
    <EmptyState
      title="No evaluation logged its actions"
      actions={
        <>
          <OpenStudy study="behaviour" />
          <Link className={buttonClasses("plain")} href={pages.sweeps}>
            Choose other sweeps
          </Link>
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
  const [depth] = useAddress(depthPart);
  const [threshold] = useAddress(thresholdPart);
  const [only] = useAddress(onlyPart);
  const chosen = {
    by,
    depth: Number(depth),
    threshold: Number(threshold),
    ...(environment !== "" && { environment }),
    ...(only !== "all" && { only }),
  };
  const input = { sweepIds, ...chosen, ...useDependent() };
  const query = useQuery(
    useTrpc().analysis.behaviour.queryOptions(input, { placeholderData: keepPreviousData, ...stoppable }),
  );
  const { data, error, isPlaceholderData } = query;
  if (!data || error) return <Analysing name="behaviour" input={input} query={query} className="h-96" />;
  if (data.environments.length === 0) {
    return <NoActions />;
  }
  return (
    <div className="space-y-5">
      <LeftOutNote leftOut={data.leftOut} />
      <AnswerSentence text={data.sentence} />
      <Choices data={data} />
      <Busy isBusy={isPlaceholderData} className="space-y-5">
        <div className="space-y-4">
          {data.flows.map(({ title, ...flow }) => (
            <div key={title}>
              <FlowFigure {...{ title, flow }} types={data.types} />
              <FlowTranscripts {...{ title, flow }} types={data.types} />
            </div>
          ))}
        </div>
        <ExportableTable
          table={putRatioFirst(data.table)}
          longCsv={data.longCsv}
          beside={{
            header: "Transcripts",
            cells: data.transcripts.map((transcripts, r) => <Transcripts key={r} transcripts={transcripts} />),
          }}
        />
      </Busy>
      <TypeList types={data.types} />
    </div>
  );
}

/** Puts the odds ratio right after the two actions, so that narrow screens show it without scrolling. */
function putRatioFirst(table: Table): Table {
  const order = ["group", "from", "to", "ratio"];
  const placeOf = (key: string) => (order.includes(key) ? order.indexOf(key) : order.length);
  const places = table.columns.map(({ key }, c) => ({ c, place: placeOf(key) })).toSorted((a, b) => a.place - b.place);
  const pick = <Item,>(items: readonly Item[]) => places.flatMap(({ c }) => items.slice(c, c + 1));
  return {
    ...table,
    columns: pick(table.columns),
    rows: table.rows.map((row) => ({ ...row, cells: pick(row.cells) })),
  };
}

/** Groups to compare, and the parts of the diagrams. */
function Choices({ data }: { data: Pick<AnswerTo<"behaviour">, "environments" | "environment"> }) {
  const [by, setBy] = useAddress(byPart);
  const [only, setOnly] = useAddress(onlyPart);
  const [, setEnvironment] = useAddress(environmentPart);
  const [depth, setDepth] = useAddress(depthPart);
  const [threshold, setThreshold] = useAddress(thresholdPart);
  return (
    <div className="flex flex-wrap gap-4">
      <ChoiceField label="Compare" options={divisions} value={by} onChange={setBy} />
      <ChoiceField label="Episodes" options={episodes} value={only} onChange={setOnly} />
      {data.environments.length > 1 && (
        <ChoiceField
          label="Environment"
          options={data.environments.map((id) => ({ value: id, label: titleOfEnvironment(id) }))}
          value={data.environment}
          onChange={setEnvironment}
        />
      )}
      <ChoiceField
        label="Turns"
        options={depths.map((value) => ({ value, label: value }))}
        value={depth}
        onChange={setDepth}
      />
      <ChoiceField
        label="Join actions below"
        options={thresholds.map((value) => ({ value, label: `${Math.round(100 * Number(value))} %` }))}
        value={threshold}
        onChange={setThreshold}
      />
    </div>
  );
}

function TypeList({ types }: { types: readonly { letter: string; name: string; meaning: string }[] }) {
  return (
    <details className="text-sm text-muted">
      <summary className="cursor-pointer">Types of actions</summary>
      <dl className="mt-2 grid gap-x-3 gap-y-1 sm:grid-cols-[max-content_1fr]">
        {types.map(({ letter, name, meaning }) => (
          <div key={letter} className="contents">
            <dt className="text-text">{name}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
