"use client";
import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useState } from "react";
import { pages } from "#server/domain/pages.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import type { AnswerTo } from "#server/api/publish/answers.ts";
import { formatCount } from "#packages/base";
import { nameSeeds } from "#packages/statistics";
import { Analysing, keptStoppable } from "#app/_components/Analysing.tsx";
import { comparePath } from "#app/_components/comparePath.ts";
import { shadeColor } from "#app/_components/shadeColor.ts";
import { OpenStudy } from "#app/_components/OpenStudy.tsx";
import { FoldedTable } from "#app/_components/table/ExportableTable.tsx";
import { LeftOutNote, useDependent } from "#app/_components/sweeps/LeftOutNote.tsx";
import { AnswerSentence } from "#app/_components/AnswerSentence.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Busy } from "#app/_ui/Busy.tsx";
import { choicePart } from "#app/_ui/address.ts";
import { buttonClasses } from "#app/_ui/Button.tsx";
import { Card } from "#app/_ui/Card.tsx";
import { ChoiceField, type Option } from "#app/_ui/Choice.tsx";
import { EmptyState } from "#app/_ui/Notice.tsx";
import { Link } from "#app/_ui/Link.tsx";
import { RangeText } from "#app/_ui/SpreadText.tsx";
import { Cell, GridTable } from "#app/_ui/Table.tsx";
import { useAddress } from "#app/_ui/useAddress.ts";
import { chooseShown, prepareTransfer, type Shown, type TransferBlock } from "./prepareTransfer.ts";

const AskElsewhere = dynamic(() => import("#app/_components/AskElsewhere.tsx").then((module) => module.AskElsewhere), {
  ssr: false,
});

const shown: readonly Option<Shown>[] = [
  { value: "after", label: "After training" },
  { value: "change", label: "Change by training" },
  { value: "toOwn", label: "Difference from runs trained in that environment" },
];
/** Empty: the values that the sentence is about. */
const shownPart = choicePart<Shown | "">("shown", ["after", "change", "toOwn"], "");
const measures = [
  { value: "successRate", label: "Success rate" },
  { value: "score", label: "Score" },
] as const satisfies Option<string>[];
const measurePart = choicePart<(typeof measures)[number]["value"]>("measure", ["successRate", "score"], "successRate");

const meanings: Readonly<Record<Shown, string>> = {
  after: "Success after training",
  change: "Success after training minus success before training, paired by run, in percentage points",
  toOwn:
    "Success after training minus the success of the run with the same seed that was trained in the evaluation environment, in percentage points",
};

/** Page about transfer: success by training environment (rows) and evaluation environment (columns). */
export function TransferView({ sweepIds }: { sweepIds: string[] }) {
  const trpc = useTrpc();
  const [measure, setMeasure] = useAddress(measurePart);
  const [chosen, setView] = useAddress(shownPart);
  const input = { sweepIds, measure, ...useDependent() };
  const query = useQuery(trpc.analysis.transfer.queryOptions(input, keptStoppable));
  const { data, error } = query;
  if (!data || error) return <Analysing name="transfer" input={input} query={query} className="h-96" />;
  if (data.rows.length === 0) return <NothingElsewhere sweepIds={sweepIds} isEvaluable={data.isEvaluable} />;
  const view = chosen === "" ? chooseShown(data) : chosen;
  return (
    <div className="space-y-5">
      <AnswerSentence text={data.sentence} />
      <LeftOutNote leftOut={data.leftOut} />
      <div className="flex flex-wrap gap-4">
        <ChoiceField label="Values" options={shown} value={view} onChange={setView} />
        {data.hasScore && <ChoiceField label="Measure" options={measures} value={measure} onChange={setMeasure} />}
        {data.isEvaluable && <EvaluateButton sweepIds={sweepIds} className="self-end" />}
      </div>
      <HeatMaps data={data} view={view} />
      <Busy isBusy={query.isPlaceholderData}>
        <FoldedTable table={data.table} longCsv={data.longCsv} />
      </Busy>
    </div>
  );
}

export function HeatMaps({ data, view }: { data: AnswerTo<"transfer">; view: Shown }) {
  const blocks = prepareTransfer(data, view);
  const counts = data.rows.map(({ runIds }) => runIds.length);
  const seeds = nameSeeds({ fewest: Math.min(...counts), most: Math.max(...counts) });
  return (
    <div className="space-y-4">
      {blocks.map((block) => (
        <Card key={block.title} title={block.title}>
          <HeatMap block={block} />
        </Card>
      ))}
      <p className="max-w-prose text-sm text-muted">
        {meanings[view]}: mean and 95 % interval over {seeds}. A frame marks the training environment. Click a cell to
        compare its runs.
      </p>
    </div>
  );
}

function HeatMap({ block }: { block: TransferBlock }) {
  return (
    <GridTable
      caption={`Trained in (rows), evaluated in (columns): ${block.title}`}
      corner="Trained in ╲ evaluated in"
      columns={block.columns}
      columnClassName="max-sm:px-1.5 sm:whitespace-nowrap"
      rows={block.rows.map(({ title, runIds, cells }) => ({
        title,
        cells: cells.map(({ text, n, hue, shade, isOwn, sentence }, i) => (
          <Cell
            key={block.columns[i]}
            className={`py-1.5 text-right text-sm max-sm:px-1.5 ${isOwn ? "outline-2 -outline-offset-2 outline-text" : ""}`}
            style={{ background: shadeColor(hue, shade) }}
          >
            <Link href={comparePath(runIds)} prefetch={false} aria-label={sentence} className="hover:underline">
              <RangeText text={text} />
              {n > 0 && n < runIds.length && (
                <span className="ml-1 text-xs whitespace-nowrap">({formatCount(n, "seed")})</span>
              )}
            </Link>
          </Cell>
        )),
      }))}
      rowClassName="max-sm:px-1.5 sm:whitespace-nowrap"
    />
  );
}

function EvaluateButton({ sweepIds, className = "" }: { sweepIds: string[]; className?: string }) {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <ActionButton className={className} onClick={() => setIsAsking(true)}>
        Evaluate elsewhere
      </ActionButton>
      {isAsking && <AskElsewhere scope={{ sweepIds }} open onClose={() => setIsAsking(false)} />}
    </>
  );
}

function NothingElsewhere({ sweepIds, isEvaluable }: { sweepIds: string[]; isEvaluable: boolean }) {
  return (
    <EmptyState
      title="No run was evaluated in another environment"
      actions={
        <>
          {isEvaluable && <EvaluateButton sweepIds={sweepIds} />}
          <Link className={buttonClasses("plain")} href={`${pages.newSweep}?preset=transfer-sokoban`}>
            New sweep with evaluation in other environments
          </Link>
          <OpenStudy study="transfer" kind="plain" />
        </>
      }
    >
      To evaluate the runs of a sweep in other environments, list these environments in the builder under Evaluate
      elsewhere, or as base.evaluation.elsewhere in the sweep file.
    </EmptyState>
  );
}
