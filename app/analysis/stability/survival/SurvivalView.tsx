"use client";
import { keepPreviousData, skipToken, useQuery } from "@tanstack/react-query";
import type { Grouping } from "#server/domain/analysis/stability/grouping.ts";
import { ExportableTable } from "#app/_components/table/ExportableTable.tsx";
import { moveColumn } from "#app/_components/table/moveColumn.ts";
import { Analysing, keptStoppable, stoppable } from "#app/_components/Analysing.tsx";
import { LeftOutNote, useDependent } from "#app/_components/sweeps/LeftOutNote.tsx";
import { AnswerSentence } from "#app/_components/AnswerSentence.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { type AddressPart, optionPart, textPart } from "#app/_ui/address.ts";
import { EmptyState } from "#app/_ui/Notice.tsx";
import { Busy } from "#app/_ui/Busy.tsx";
import { ChoiceField, type Option } from "#app/_ui/Choice.tsx";
import { useAddress } from "#app/_ui/useAddress.ts";
import { SurvivalFigure } from "./SurvivalFigure.tsx";
import { TableSection } from "../TableSection.tsx";

const groupings: readonly Option<Grouping>[] = [
  { value: "method", label: "Method" },
  { value: "configuration", label: "Configuration" },
  { value: "environment", label: "Environment" },
  { value: "aggregation", label: "Loss aggregation" },
  { value: "clipping", label: "Clipping" },
  { value: "advantage", label: "Advantage" },
  { value: "sampling", label: "Sampling" },
];

const byPart = optionPart<Grouping>("groups", groupings, "method");
const baselinePart = textPart("from");

/** URL parameters for the grouping of runs and the baseline group; an empty baseline stands for the default. */
const groupsPart: AddressPart<{ by: Grouping; baseline: string }> = {
  parse: (query) => ({ by: byPart.parse(query), baseline: baselinePart.parse(query) }),
  write: (query, { by, baseline }) => baselinePart.write(byPart.write(query, by), baseline),
};

export function SurvivalView({ sweepIds }: { sweepIds: string[] }) {
  const trpc = useTrpc();
  const [{ by, baseline }, setGroups] = useAddress(groupsPart);
  const dependent = useDependent();
  const input = { sweepIds, by, ...(baseline !== "" && { baseline }), ...dependent };
  const query = useQuery(trpc.analysis.survival.queryOptions(input, keptStoppable));
  const { data, error, isPlaceholderData } = query;
  if (!data || error) return <Analysing name="survival" input={input} query={query} className="h-96" />;
  return (
    <div className="space-y-5">
      <AnswerSentence text={data.sentence} />
      <LeftOutNote leftOut={data.leftOut} />
      <div className="flex flex-wrap gap-4">
        <ChoiceField
          label="Group by"
          options={groupings}
          value={by}
          onChange={(next) => setGroups({ by: next, baseline: "" })}
        />
        <ChoiceField
          label="Baseline"
          options={data.groups.map(({ group }) => ({ value: group, label: data.titles[group] ?? group }))}
          value={data.baseline ?? ""}
          onChange={(group) => setGroups({ by, baseline: group })}
        />
      </div>
      {data.groups.length === 0 ? (
        <EmptyState title="No judged run">
          Only runs that log a success rate or a reward can be judged as collapsed or not.
        </EmptyState>
      ) : (
        <>
          <Busy isBusy={isPlaceholderData} className="space-y-5">
            <SurvivalFigure report={data} />
            <ExportableTable table={moveColumn(data.table, "restrictedMean", "unclear")} longCsv={data.longCsv} />
          </Busy>
          <SuccessAndHazards
            sweepIds={sweepIds}
            compared={isPlaceholderData ? undefined : { by, baseline: data.baseline ?? "" }}
          />
        </>
      )}
    </div>
  );
}

type Props = {
  sweepIds: string[];
  /** Grouping and baseline of the loaded survival report; undefined until it has loaded for a newly chosen grouping. */
  compared: { by: Grouping; baseline: string } | undefined;
};

/** Tables of success compared with the baseline's, and of the effect of staleness and precision on the hazard. */
function SuccessAndHazards({ sweepIds, compared }: Props) {
  const trpc = useTrpc();
  const chosen = { sweepIds, ...useDependent() };
  const asked = trpc.analysis.equivalence.queryOptions(compared ? { ...chosen, ...compared } : skipToken, {
    placeholderData: keepPreviousData,
    ...stoppable,
  });
  const equivalence = useQuery(asked);
  const hazards = useQuery(trpc.analysis.hazards.queryOptions(chosen, stoppable));
  return (
    <>
      <TableSection
        id="equivalence"
        title="Success rates compared with the baseline"
        input={{ ...chosen, ...compared }}
        read={equivalence}
      />
      <TableSection id="hazards" title="Staleness, precision and the risk of collapse" input={chosen} read={hazards} />
    </>
  );
}
