import { Link } from "#app/_ui/Link.tsx";
import type { PhasesAnswer } from "#server/api/analysis/phases.ts";
import type { PhaseAxis } from "#server/domain/analysis/phases/axis.ts";
import type { PhaseDiagram } from "#server/domain/analysis/phases/diagram.ts";
import { formatPercent } from "#app/_charts/format.ts";
import { Cell, HeadCell, Table } from "#app/_ui/Table.tsx";
import { comparePath } from "#app/_components/comparePath.ts";
import { nameOf, prepareCells } from "./preparePhases.ts";

type Props = {
  title: string;
  axes: { x: PhaseAxis; y: PhaseAxis };
  diagram: PhaseDiagram;
  runs: PhasesAnswer["runs"];
};

/** The cells of a diagram as a table with links to their runs: the accessible form of the figure. */
export function PhaseTable({ title, axes, diagram, runs }: Props) {
  const cells = prepareCells(axes, diagram, runs);
  return (
    <Table caption={`Collapsed of judged runs, ${title}`}>
      <thead>
        <tr>
          <HeadCell>
            {axes.y.title} ╲ {axes.x.title}
          </HeadCell>
          {axes.x.levels.map((level, x) => (
            <HeadCell key={level} className="text-right whitespace-nowrap">
              {nameOf(axes.x, x)}
            </HeadCell>
          ))}
        </tr>
      </thead>
      <tbody>
        {[...axes.y.levels.keys()].toReversed().map((y) => (
          <tr key={y}>
            <th scope="row" className="border-t border-line px-3 py-1 text-left text-sm font-medium whitespace-nowrap">
              {nameOf(axes.y, y)}
            </th>
            {axes.x.levels.map((level, x) => {
              const cell = cells.find((one) => one.x === x && one.y === y);
              return (
                <Cell key={level} className="py-1 text-right text-sm whitespace-nowrap">
                  {cell ? (
                    <Link
                      className="underline"
                      href={comparePath(cell.runIds)}
                      prefetch={false}
                      aria-label={cell.sentence}
                    >
                      {cell.text} ({formatPercent(cell.rate)})
                    </Link>
                  ) : (
                    <span className="text-muted">not run</span>
                  )}
                </Cell>
              );
            })}
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
