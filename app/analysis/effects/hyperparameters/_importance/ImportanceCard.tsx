"use client";
import { lowerFirst } from "#packages/base";
import { useQuery } from "@tanstack/react-query";
import { describeLeftOut, type ImportanceStudy } from "#server/domain/analysis/hyperparameters/study.ts";
import type { Importance, Spread } from "#server/domain/analysis/hyperparameters/importance.ts";
import { Analysing, stoppable } from "#app/_components/Analysing.tsx";
import { formatCount, formatPercent } from "#app/_charts/format.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Card } from "#app/_ui/Card.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import type { StudyColumn } from "#server/domain/analysis/hyperparameters/prepareStudy.ts";
import type { ImportanceAsked } from "../_study/studyParts.ts";

type Props = {
  asked: ImportanceAsked;
  outcome: StudyColumn;
  constant: readonly { title: string; value: string }[];
};

export function ImportanceCard({ asked, outcome, constant }: Props) {
  const trpc = useTrpc();
  const query = useQuery(trpc.runTable.importance.queryOptions(asked, stoppable));
  const { data } = query;
  return (
    <Card className="min-h-64" title={`Importance for ${lowerFirst(outcome.title)}`}>
      {data ? (
        <Answer study={data.importance} constant={constant} />
      ) : (
        <Analysing name="importance" input={asked} query={query} className="h-48" />
      )}
    </Card>
  );
}

function Answer({ study, constant }: { study: ImportanceStudy } & Pick<Props, "constant">) {
  const { importance, caveats, parameters } = study;
  return (
    <div className="space-y-3">
      {caveats.map((caveat) => (
        <Notice key={caveat} tone={importance ? "warn" : "info"}>
          {caveat}
        </Notice>
      ))}
      {importance && <Bars importance={importance} titles={parameters.map(({ title }) => title)} />}
      {importance && <Footnote study={study} importance={importance} />}
      <LeftOutList leftOut={study.leftOut.map(describeLeftOut)} constant={constant} />
    </div>
  );
}

export function Bars({ importance, titles }: { importance: Importance; titles: readonly string[] }) {
  const { alone, pairs } = prepareBars(importance, titles);
  return (
    <div role="region" aria-label="Importances" tabIndex={0} className="overflow-x-auto">
      <table className="w-full min-w-80 text-left text-sm">
        <thead>
          <tr className="text-xs text-muted">
            <th scope="col" className="pr-3 pb-1 font-medium">
              Parameter
            </th>
            <th scope="col" className="pb-1 font-medium">
              Share of variance (fANOVA)
            </th>
            <th scope="col" className="pb-1 pl-4 font-medium">
              Drop in R² when permuted
            </th>
          </tr>
        </thead>
        <tbody>
          {alone.map((bar) => (
            <BarRow key={bar.title} bar={bar} />
          ))}
          {pairs.length > 0 && (
            <tr>
              <th scope="rowgroup" colSpan={3} className="pt-2 pb-1 text-xs font-medium text-muted">
                Interactions of two parameters
              </th>
            </tr>
          )}
          {pairs.map((bar) => (
            <BarRow key={bar.title} bar={bar} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function BarRow({ bar: { title, share, loss } }: { bar: Bar }) {
  return (
    <tr>
      <th scope="row" className="max-w-44 py-1 pr-3 font-normal break-words">
        {title}
      </th>
      <td className="w-1/2 py-1">
        <Measure {...share} color="var(--step-4)" />
      </td>
      <td className="w-1/4 py-1 pl-4">{loss && <Measure {...loss} color="var(--edge)" />}</td>
    </tr>
  );
}

function Measure({ text, hint, width, low, high, color }: Bar["share"] & { color: string }) {
  return (
    <div className="flex items-center gap-2" title={hint}>
      <div aria-hidden="true" className="relative h-3.5 min-w-10 flex-1 rounded-sm bg-sunken">
        <div className="h-full rounded-sm" style={{ width: `${width}%`, background: color }} />
        <div
          className="absolute top-1/2 h-0.5 -translate-y-1/2 bg-text"
          style={{ left: `${low}%`, width: `${Math.max(0.5, high - low)}%` }}
        />
      </div>
      <span className="w-11 shrink-0 text-right tabular-nums">{text}</span>
      <span className="sr-only">{hint}</span>
    </div>
  );
}

function Footnote({ study, importance }: { study: ImportanceStudy; importance: Importance }) {
  const { numRuns, numWithout } = study;
  return (
    <p className="max-w-4xl text-xs text-muted">
      A random forest of {importance.numTrees} trees, fitted to {formatCount(numRuns, "run")}
      {numWithout > 0 && ` (${formatCount(numWithout, "more run")} without a result)`}, explains{" "}
      {formatPercent(Math.max(0, importance.score))} of the variance of held-out runs. A share is the fraction of the
      variance of the forest&rsquo;s predictions that one parameter explains alone. Interactions of three or more
      parameters explain {formatPercent(importance.higher)}. Whiskers span 95 % of the trees (shares) or of 20
      permutations (R²).
    </p>
  );
}

function LeftOutList({ leftOut, constant }: { leftOut: readonly string[]; constant: Props["constant"] }) {
  if (leftOut.length + constant.length === 0) return null;
  return (
    <details className="text-sm">
      <summary className="text-muted">
        Not shown:{" "}
        {[
          leftOut.length > 0 && `${formatCount(leftOut.length, "parameter")} that could not be analysed`,
          constant.length > 0 && `${formatCount(constant.length, "parameter")} that did not vary`,
        ]
          .filter(Boolean)
          .join("; ")}
      </summary>
      <ul className="mt-1 max-h-64 space-y-0.5 overflow-y-auto" tabIndex={0} aria-label="Parameters not shown">
        {leftOut.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
        {constant.map(({ title, value }, i) => (
          <li key={i} className="text-muted">
            {title} did not vary: the value is {value} in every run.
          </li>
        ))}
      </ul>
    </details>
  );
}

/** A number with its interval, drawn as a bar; `width`, `low` and `high` are percentages of the column's width. */
type Measured = { text: string; hint: string; width: number; low: number; high: number };
type Bar = { title: string; share: Measured; loss?: Measured };

const maxPairs = 4;
/** Minimum fraction of the forest's variance that a listed pair of hyperparameters explains by interaction. */
const minPair = 0.01;

/** Returns the bars: hyperparameters by descending importance, then pairs with an interaction. */
function prepareBars(importance: Importance, titles: readonly string[]): { alone: Bar[]; pairs: Bar[] } {
  const { mains, losses, pairs } = importance;
  // A loss of R² above 1 means that the predictions become worse than the mean of the outcomes.
  const maxLost = Math.max(1, ...losses.map(({ mean }) => mean));
  const titleAt = (axis: number) => titles[axis] ?? "";
  const alone = mains.flatMap((share, axis): Bar[] => {
    const loss = losses[axis];
    return loss ? [{ title: titleAt(axis), share: toShare(share), loss: toLoss(loss, maxLost) }] : [];
  });
  const order = [...mains.keys()].sort((a, b) => (mains[b]?.mean ?? 0) - (mains[a]?.mean ?? 0));
  return {
    alone: order.flatMap((axis) => alone[axis] ?? []),
    pairs: pairs
      .filter(({ share }) => share.mean >= minPair)
      .slice(0, maxPairs)
      .map(({ axes: [a, b], share }) => ({ title: `${titleAt(a)} × ${titleAt(b)}`, share: toShare(share) })),
  };
}

function toShare({ mean, low, high }: Spread): Measured {
  return {
    text: formatPercent(mean),
    hint: `${formatPercent(low)} to ${formatPercent(high)} in 95 % of the trees`,
    width: 100 * mean,
    low: 100 * low,
    high: 100 * high,
  };
}

function toLoss({ mean, low, high }: Spread, most: number): Measured {
  const within = (x: number) => Math.min(100, Math.max(0, (100 * x) / most));
  const format = (x: number) => x.toFixed(2).replace("-", "−").replace("−0.00", "0.00");
  return {
    text: format(mean),
    hint: `${format(low)} to ${format(high)} in 95 % of the permutations`,
    width: within(mean),
    low: within(low),
    high: within(high),
  };
}
