import type { ReactNode } from "react";
import { formatPercent } from "#app/_charts/format.ts";
import { EffectBar, findReach } from "#app/_ui/EffectBar.tsx";
import { Cell, Head, Table } from "#app/_ui/Table.tsx";
import { formatP } from "#packages/base";
import { writeInterval } from "#packages/statistics";
import { writeCollapses } from "#packages/detector";
import { describeLatest, type LatestSaving as Latest } from "#server/domain/analysis/rescue/latestSaving.ts";
import type { ArmReport } from "#server/domain/analysis/rescue/rescue.ts";

type Props = {
  caption: string;
  /** Optional first column, for example the iteration from which the branches were trained. */
  first?: { header: string; isNumber?: boolean };
  rows: readonly { key: string; first?: ReactNode; arm: ArmReport }[];
};

/** Table of interventions: outcomes with each change, and a forest plot of differences from unchanged branches. */
export function ArmTable({ caption, first, rows }: Props) {
  const reach = findReach(rows.map(({ arm }) => arm.successDifference)) ?? 1;
  const align = first?.isNumber === true ? "text-right" : "";
  return (
    <Table caption={caption}>
      <Head
        cells={[
          first?.isNumber === true ? { number: first.header } : first?.header,
          "Change",
          "Gain in success over unchanged branches, points [95 % CI]",
          { number: "p (Holm)" },
          "Collapsed after the change [95 % CI]",
          { number: "Success rate" },
        ]}
      />
      <tbody>
        {rows.map((row) => (
          <tr key={row.key}>
            {first && <Cell className={align}>{row.first}</Cell>}
            <ArmCells arm={row.arm} reach={reach} />
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function ArmCells({ arm, reach }: { arm: ArmReport; reach: number }) {
  const { numJudged, numBefore, collapsed, success, successDifference, pHolm } = arm;
  const { difference, interval } = successDifference;
  const hasEffect = !arm.isNothing && Number.isFinite(difference);
  return (
    <>
      <Cell className="min-w-40 font-medium">{arm.arm}</Cell>
      <Cell>
        {hasEffect && (
          <div className="min-w-40">
            <span className="whitespace-nowrap">
              {formatPoints(difference)}{" "}
              {Number.isFinite(interval.low) && (
                <span className="text-muted">
                  [{formatPoints(interval.low)}, {formatPoints(interval.high)}]
                </span>
              )}
            </span>
            <EffectBar difference={difference} interval={interval} reach={reach} />
          </div>
        )}
      </Cell>
      <Cell className="text-right">{Number.isNaN(pHolm) ? "" : formatP(pHolm)}</Cell>
      <Cell className="whitespace-nowrap">
        {numJudged === 0 ? (
          <span className="text-muted">{numBefore > 0 ? "" : "not judged"}</span>
        ) : (
          <>
            {writeCollapses(arm)}{" "}
            {Number.isFinite(collapsed.low) && (
              <span className="text-muted">{writeInterval(collapsed, { shift: 2, decimals: 0 })} %</span>
            )}
          </>
        )}
        {numBefore > 0 && <div className="text-muted">{numBefore} had collapsed before</div>}
      </Cell>
      <Cell className="text-right whitespace-nowrap">{Number.isNaN(success) ? "" : formatPercent(success)}</Cell>
    </>
  );
}

/** Formats a difference of rates in percentage points. */
function formatPoints(x: number): string {
  const points = Math.round(100 * x);
  return `${points > 0 ? "+" : points < 0 ? "−" : ""}${Math.abs(points)}`;
}

/** Lists what the table leaves out. */
export function LeftOut({ notes }: { notes: readonly string[] }) {
  return notes.map((sentence) => (
    <p key={sentence} className="max-w-prose text-sm text-muted">
      {sentence}
    </p>
  ));
}

/** Lists, for each change, the latest branching point from which at least half of the branches did not collapse. */
export function LatestSaving({ latest, areSeveral = false }: { latest: readonly Latest[]; areSeveral?: boolean }) {
  if (latest.length === 0) return null;
  return (
    <div className="text-sm">
      <p className="font-semibold">How late the change still works</p>
      <p className="text-muted">
        Latest iteration from which at least half of the branches did not collapse [95 % CI]
        {areSeveral && ", counted back from the first alarm"}:
      </p>
      <ul className="list-disc pl-5">
        {latest.map((one) => (
          <li key={one.arm}>{describeLatest(one, areSeveral ? "before" : "after")}</li>
        ))}
      </ul>
    </div>
  );
}
