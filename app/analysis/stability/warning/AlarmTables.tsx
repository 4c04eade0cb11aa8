import type { AlarmGroup } from "#server/api/publish/laboratory/blind.ts";
import { formatPercent } from "#app/_charts/format.ts";
import { Notice } from "#app/_ui/Notice.tsx";
import { Cell, HeadCell, Table } from "#app/_ui/Table.tsx";

/** With fewer collapses than this, a rate says little. */
const fewCollapses = 5;

export function FewCollapses({ group: { heading, numCollapses } }: { group: AlarmGroup }) {
  if (numCollapses >= fewCollapses) return null;
  return (
    <Notice tone="warn">
      {heading}.{" "}
      {numCollapses === 0
        ? "Recall and lead cannot be measured; false alarms can."
        : "Recall and lead say little: look at their intervals."}
    </Notice>
  );
}

/** Precision of each rule's alarms, and the number that came early enough to act on. */
export function AlarmTables({ groups }: { groups: readonly AlarmGroup[] }) {
  return (
    <details>
      <summary className="cursor-pointer text-sm">Precision, and alarms that lead by ten iterations or more</summary>
      <div className="mt-3 space-y-4">
        {groups.map(({ heading, rules }) => (
          <section key={heading} aria-label={heading} className="space-y-2">
            <p className="text-sm text-muted">{heading}</p>
            <Table caption={`Precision and early alarms. ${heading}`}>
              <thead>
                <tr>
                  <HeadCell>Rule</HeadCell>
                  <HeadCell className="text-right">True alarms</HeadCell>
                  <HeadCell className="text-right">Precision</HeadCell>
                  <HeadCell className="text-right">Lead ≥ 10, of collapses found</HeadCell>
                </tr>
              </thead>
              <tbody>
                {rules.map(({ rule, numTrue, numFalse, earlyRate }) => (
                  <tr key={rule}>
                    <Cell className="min-w-48 text-sm">{rule}</Cell>
                    <Cell className="text-right text-sm whitespace-nowrap tabular-nums">
                      {numTrue} of {numTrue + numFalse}
                    </Cell>
                    <Cell className="text-right text-sm tabular-nums">
                      {formatShare(numTrue / (numTrue + numFalse))}
                    </Cell>
                    <Cell className="text-right text-sm tabular-nums">{formatShare(earlyRate)}</Cell>
                  </tr>
                ))}
              </tbody>
            </Table>
          </section>
        ))}
      </div>
    </details>
  );
}

function formatShare(share: number): string {
  return Number.isFinite(share) ? formatPercent(share) : "–";
}
