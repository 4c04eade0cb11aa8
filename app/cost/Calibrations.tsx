import { titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { type Calibration, minRuns } from "#server/domain/sweep/calibration.ts";
import { Cell, HeadCell, Table } from "#app/_ui/Table.tsx";

/** A table: for each environment and policy size, the ratio of measured to estimated run time. */
export function Calibrations({ calibrations }: { calibrations: readonly Calibration[] }) {
  if (calibrations.length === 0) return null;
  return (
    <section className="mt-8">
      <h2 className="mb-1 font-semibold">Estimates</h2>
      <p className="mb-3 max-w-prose text-sm text-muted">
        Measured ÷ estimated time of finished runs. From {minRuns} runs of a kind on, the builder multiplies its
        estimate by the median.
      </p>
      <Table caption="Measured and estimated time" className="max-w-2xl">
        <thead>
          <tr>
            <HeadCell>Environment</HeadCell>
            <HeadCell>Policy</HeadCell>
            <HeadCell className="text-right">Runs</HeadCell>
            <HeadCell className="text-right">Median</HeadCell>
            <HeadCell className="text-right">Nine of ten between</HeadCell>
          </tr>
        </thead>
        <tbody>
          {calibrations.map(({ environment, size, numRuns, median, low, high }) => (
            <tr key={`${environment} ${size}`}>
              <Cell>{titleOfEnvironment(environment)}</Cell>
              <Cell>{size}</Cell>
              <Cell className="text-right tabular-nums">{numRuns.toLocaleString("en-US")}</Cell>
              <Cell className="text-right tabular-nums">{median.toPrecision(2)}</Cell>
              <Cell className="text-right whitespace-nowrap tabular-nums">
                {low.toPrecision(2)} and {high.toPrecision(2)}
              </Cell>
            </tr>
          ))}
        </tbody>
      </Table>
    </section>
  );
}
