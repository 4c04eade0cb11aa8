import { useState } from "react";
import { checkpoints, metricOf, type Checkpoint, type Field } from "#server/domain/runs/table/field.ts";
import { MetricPicker } from "#app/_charts/MetricPicker.tsx";
import { Button } from "#app/_ui/Button.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import { Input } from "#app/_ui/Input.tsx";
import { usualColumns } from "./view.ts";

type Props = { fields: readonly Field[]; columns: readonly string[]; onAdd: (key: string) => void };
type Rule = Checkpoint | "at";

const rules: readonly { value: Rule; label: string }[] = [
  ...checkpoints.map((value) => ({ value, label: value[0]?.toUpperCase() + value.slice(1) })),
  { value: "at", label: "At iteration" },
];
const lastIteration = 999_999_999;

export function AddMetric({ fields, columns, onAdd }: Props) {
  const finals = fields.flatMap((field) => {
    const named = metricOf(field.key);
    return named?.rule === "final" ? [{ metric: named.metric, title: field.title.replace(/, final$/, "") }] : [];
  });
  const [picked, setPicked] = useState<string>();
  const [rule, setRule] = useState<Rule>("at");
  const [text, setText] = useState("");
  const [usual] = usualColumns(fields).flatMap((key) => metricOf(key) ?? []);
  const chosen = finals.find(({ metric }) => metric === (picked ?? usual?.metric)) ?? finals[0];
  if (!chosen) return null;
  const isIteration = /^\d+$/.test(text) && Number(text) <= lastIteration;
  const key = `${rule === "at" ? `at${Number(text)}` : rule}.${chosen.metric}`;
  const isThere = columns.includes(key);
  const isWrong = rule === "at" && text !== "" && !isIteration;
  return (
    <div role="group" aria-label="Summary of a metric" className="mt-2 mb-3 space-y-2 rounded border border-line p-2">
      <MetricPicker label={chosen.title} keys={finals.map(({ metric }) => metric)} onPick={setPicked} />
      <div className="flex flex-wrap items-center gap-2">
        <Choice as="buttons" label="Value of the metric" options={rules} value={rule} onChange={setRule} />
        {rule === "at" && (
          <span className="w-24">
            <Input
              inputMode="numeric"
              aria-label="Iteration"
              placeholder="e.g. 40"
              aria-invalid={isWrong}
              value={text}
              onChange={({ target }) => setText(target.value.trim())}
            />
          </span>
        )}
        <Button disabled={isThere || (rule === "at" && !isIteration)} onClick={() => onAdd(key)}>
          {isThere ? "Shown" : "Add column"}
        </Button>
      </div>
      <p role="status" className={isWrong ? "text-sm text-bad" : "sr-only"}>
        {isWrong &&
          `${text} is not an iteration: enter a whole number from 0 to ${lastIteration.toLocaleString("en-US")}`}
      </p>
    </div>
  );
}
