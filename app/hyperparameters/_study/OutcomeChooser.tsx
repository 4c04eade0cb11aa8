"use client";
import { describeMetric } from "#trainer/spec/metric.ts";
import { checkpoints, metricOf, type Checkpoint } from "#server/domain/runtable/field.ts";
import { MetricPicker } from "#app/_charts/MetricPicker.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import { isYesOrNo, yesOrNo } from "#server/domain/importance/prepareStudy.ts";

type Props = { metrics: readonly string[]; outcome: string; onOutcome: (key: string) => void };

const kinds = [
  { value: "metric", label: "A metric" },
  { value: "collapsed", label: yesOrNo.collapsed },
  { value: "healthy", label: yesOrNo.healthy },
] as const;

const rules: readonly { value: Checkpoint; label: string }[] = checkpoints.map((value) => ({
  value,
  label: value[0]?.toUpperCase() + value.slice(1),
}));

/** Choice of the outcome: a summary of a metric, or if a run collapsed or stayed healthy. */
export function OutcomeChooser({ metrics, outcome, onOutcome }: Props) {
  const { rule, metric } = metricOf(outcome) ?? { rule: "final" as const, metric: metrics[0] ?? "" };
  return (
    <>
      <Choice
        as="buttons"
        label="Result"
        options={kinds}
        value={isYesOrNo(outcome) ? outcome : "metric"}
        onChange={(kind) => onOutcome(kind === "metric" ? "" : kind)}
      />
      {!isYesOrNo(outcome) && metrics.length > 0 && (
        <>
          <div className="max-w-64">
            <MetricPicker
              label={describeMetric(metric).title}
              keys={metrics}
              onPick={(next) => onOutcome(`${rule}.${next}`)}
            />
          </div>
          <Choice
            as="buttons"
            label="Value of the metric"
            options={rules}
            value={rule}
            onChange={(next) => onOutcome(`${next}.${metric}`)}
          />
        </>
      )}
    </>
  );
}
