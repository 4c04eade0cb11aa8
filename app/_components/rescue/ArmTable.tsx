import type { ReactNode } from "react";
import { EffectBar, findReach } from "#app/_ui/EffectBar.tsx";
import { Cell, Head, HeadCell, Table } from "#app/_ui/Table.tsx";
import { formatNumber, formatP } from "#packages/base";
import { writeInterval } from "#packages/statistics";
import { writeCollapses } from "#packages/detector";
import {
  describeLatest,
  type LatestSaving as Latest,
  titleOfArm,
} from "#server/domain/analysis/rescue/latestSaving.ts";
import type { ArmReport } from "#server/domain/analysis/rescue/rescue.ts";
import { writePoints } from "#server/domain/analysis/rescue/writePoints.ts";

type Props = {
  caption: string;
  /** Optional first column, such as the iteration from which branches were trained; it replaces a change equal in all rows. */
  first?: { header: string; isNumber?: boolean; replacesChange?: true };
  rows: readonly { key: string; first?: ReactNode; arm: ArmReport }[];
  /** Maximum of the bars' axis if other tables of the page share it. */
  reach?: number | undefined;
};

/** Table of interventions: outcomes with each change, and a forest plot of differences from unchanged branches. */
export function ArmTable({ caption, first, rows, reach = findReachOf(rows.map(({ arm }) => arm)) }: Props) {
  const align = first?.isNumber === true ? "text-right" : "";
  return (
    <Table caption={caption}>
      <Head
        cells={[
          first?.isNumber === true ? { number: first.header } : first?.header,
          first?.replacesChange !== true && "Change",
          "Gain in success over unchanged branches, points [95 % CI, uncorrected]",
          <HeadCell key="p" className="text-right max-sm:hidden">
            p (Holm)
          </HeadCell>,
          // Narrow screens show it below the gain.
          <HeadCell key="collapsed" className="max-sm:hidden">
            Collapsed after the change [95 % CI]
          </HeadCell>,
          { number: "Success rate" },
        ]}
      />
      <tbody>
        {rows.map((row) => (
          <tr key={row.key}>
            {first && <Cell className={align}>{row.first}</Cell>}
            <ArmCells arm={row.arm} reach={reach} isNamed={first?.replacesChange !== true} />
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

/** Finds the maximum of an axis that fits the gains of all changes. */
export function findReachOf(arms: readonly ArmReport[]): number {
  return findReach(arms.map(({ successDifference }) => successDifference)) ?? 1;
}

function ArmCells({ arm, reach, isNamed }: { arm: ArmReport; reach: number; isNamed: boolean }) {
  const { success, successDifference, pHolm } = arm;
  const { difference, interval } = successDifference;
  const [gain, range] = !arm.isNothing && Number.isFinite(difference) ? writePoints(difference, interval) : [];
  const p = Number.isNaN(pHolm) ? "" : formatP(pHolm);
  return (
    <>
      {isNamed && <Cell className="min-w-28 font-medium sm:min-w-40">{titleOfArm(arm)}</Cell>}
      <Cell>
        {gain !== undefined && (
          <div className="min-w-32 sm:min-w-40">
            <span className="whitespace-nowrap">
              {gain} <span className="text-muted">{range}</span>
            </span>
            {/* Narrow screens have no room for columns of p and of collapses. */}
            {p !== "" && (
              <span className="block text-sm whitespace-nowrap sm:hidden">p {p.replace(/^(?=\d)/, "= ")}</span>
            )}
            <EffectBar difference={difference} interval={interval} reach={reach} />
          </div>
        )}
        <div className="sm:hidden">
          {arm.numJudged > 0 && "collapsed "}
          <Collapsed arm={arm} />
        </div>
      </Cell>
      <Cell className="text-right max-sm:hidden">{p}</Cell>
      <Cell className="whitespace-nowrap max-sm:hidden">
        <Collapsed arm={arm} />
      </Cell>
      <Cell className="text-right whitespace-nowrap">
        {Number.isNaN(success) ? "" : `${formatNumber(success, whole)} %`}
      </Cell>
    </>
  );
}

const whole = { shift: 2, decimals: 0 };

function Collapsed({ arm }: { arm: ArmReport }) {
  const { numJudged, numCollapsed, numBefore, collapsed } = arm;
  return (
    <>
      {numJudged === 0 ? (
        <span className="text-muted">{numBefore > 0 ? "" : "not judged"}</span>
      ) : (
        <>
          {writeCollapses(arm)}{" "}
          {Number.isFinite(collapsed.low) && (
            <span className="whitespace-nowrap text-muted">
              ({formatNumber(numCollapsed / numJudged, whole)} {writeInterval(collapsed, whole)} %)
            </span>
          )}
        </>
      )}
      {numBefore > 0 && <div className="text-muted">{numBefore} had collapsed before</div>}
    </>
  );
}

/** Lists what the table leaves out. */
export function LeftOut({ notes }: { notes: readonly string[] }) {
  return notes.map((sentence) => (
    <p key={sentence} className="max-w-prose text-sm text-muted">
      {sentence}
    </p>
  ));
}

/** Lists the latest branching point from which at least half of the branches did not collapse, also unchanged ones. */
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
