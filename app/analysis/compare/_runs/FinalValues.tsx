"use client";
import { useQuery } from "@tanstack/react-query";
import { describeMetric } from "#trainer/spec/metric.ts";
import type { ComparedConfiguration } from "#server/db/analysis/comparedRuns.ts";
import type { ComparedFinal } from "#server/domain/analysis/compare/finals.ts";
import { sayFinals } from "#server/domain/analysis/compare/sayFinals.ts";
import { formatP } from "#packages/base";
import { partsOf, spreadHead, spreadMeaning, writeDifference } from "#packages/statistics";
import { AnswerSentence } from "#app/_components/AnswerSentence.tsx";
import { Analysing, stoppable } from "#app/_components/Analysing.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { RangeText, SpreadText } from "#app/_ui/SpreadText.tsx";
import { baselinePart } from "#app/_ui/baseline.ts";
import { ChoiceBeside } from "#app/_ui/Choice.tsx";
import { useAddress } from "#app/_ui/useAddress.ts";
import { ConfigurationDot } from "#app/_ui/MethodChip.tsx";
import { Cell, HeadCell, Table } from "#app/_ui/Table.tsx";
import type { Compared } from "./comparedAddress.ts";

type Props = {
  compared: Compared;
  configurations: readonly ComparedConfiguration[];
  names: ReadonlyMap<number, string>;
  metric: string;
};

/** Table of each configuration's mean over the final window, and its difference from the baseline configuration. */
export function FinalValues({ compared, configurations, names, metric }: Props) {
  const trpc = useTrpc();
  const [chosen] = useAddress(baselinePart);
  const from = configurations.find(({ cellId }) => cellId === chosen) ?? configurations[0];
  const input = { ...compared, metric, ...(from && { baseline: from.cellId }) };
  const query = useQuery(trpc.comparison.finals.queryOptions(input, stoppable));
  const { data, error } = query;
  if (!data || error) return <Analysing name="comparedFinals" input={input} query={query} className="h-40" />;
  const areSeveral = new Set(data.map(({ baselineId }) => baselineId)).size > 1;
  const { title } = describeMetric(metric);
  const sentence = sayFinals(data, { names, metric });
  return (
    <section aria-labelledby="finals">
      <h2 id="finals" className="mb-2 font-semibold">
        Final values
      </h2>
      {sentence !== "" && (
        <div className="mb-3">
          <AnswerSentence text={sentence} />
        </div>
      )}
      {from && <BaselineMenu configurations={configurations} names={names} from={from} />}
      <Table caption={`Final values of ${title}`}>
        <thead>
          <tr>
            <HeadCell>Configuration</HeadCell>
            <HeadCell className="text-right">
              {title}, {spreadHead}
            </HeadCell>
            <HeadCell className="text-right">
              Difference from{" "}
              {areSeveral ? "the environment’s baseline" : from ? names.get(from.cellId) : "the first configuration"},
              unpaired [95 % CI, uncorrected]
            </HeadCell>
            <HeadCell className="text-right">p (Holm)</HeadCell>
            <HeadCell className="text-right">Seeds</HeadCell>
          </tr>
        </thead>
        <tbody>
          {data.map((value) => (
            <FinalRow key={value.cellId} {...{ value, configurations, names, metric }} />
          ))}
        </tbody>
      </Table>
      <Method areSeveral={areSeveral} />
    </section>
  );
}

function FinalRow({ value, configurations, names, metric }: Omit<Props, "compared"> & { value: ComparedFinal }) {
  const { cellId, baselineId, difference, correctedP, ...spread } = value;
  const described = describeMetric(metric);
  return (
    <tr className="tabular-nums">
      <Cell>
        <ConfigurationDot color={undefined} {...configurations.find((one) => one.cellId === cellId)?.look} />
        {names.get(cellId)}
      </Cell>
      <Cell className="text-right max-sm:px-1.5 sm:whitespace-nowrap">
        {spread.n === 0 ? "–" : <SpreadText parts={partsOf(spread, described)} />}
      </Cell>
      <Cell className="text-right max-sm:px-1.5">
        {cellId === baselineId ? (
          <span className="text-muted">baseline</span>
        ) : difference === undefined ? (
          "–"
        ) : (
          <RangeText text={writeDifference(difference, described)} />
        )}
      </Cell>
      <Cell className="text-right max-sm:px-1.5">{correctedP === null ? "–" : formatP(correctedP)}</Cell>
      <Cell className="text-right max-sm:px-1.5">{spread.n}</Cell>
    </tr>
  );
}

/** Explains the table's statistics; `areSeveral`: several environments, each with its own baseline. */
function Method({ areSeveral }: { areSeveral: boolean }) {
  return (
    <p className="mt-1 text-sm text-muted">
      Mean over the final window. {spreadMeaning}{" "}
      {areSeveral &&
        "Each environment has its own baseline: its configuration with the method of the chosen baseline, or else its first configuration. "}
      Differences are not paired by seed. p: two-sided Welch&rsquo;s t-test for configurations with at least three
      seeds, corrected by Holm&rsquo;s method over the differences {areSeveral && "of an environment "}in the table.
      Intervals are not corrected.
    </p>
  );
}

type MenuProps = Pick<Props, "configurations" | "names"> & { from: ComparedConfiguration };

function BaselineMenu({ configurations, names, from }: MenuProps) {
  const [, setBaseline] = useAddress(baselinePart);
  if (configurations.length < 2) return null;
  return (
    <div className="mb-3 text-sm">
      <ChoiceBeside
        label="Baseline"
        options={configurations.map(({ cellId }) => ({ value: String(cellId), label: names.get(cellId) ?? "" }))}
        value={String(from.cellId)}
        onChange={(cellId) => setBaseline(Number(cellId))}
      />
    </div>
  );
}
