"use client";
import type { SampleHead } from "#server/api/runs/samples.ts";
import { formatCount } from "#app/_charts/format.ts";
import { Checkbox } from "#app/_ui/Checkbox.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import { choicesOf, type EpisodeFilter } from "./filterEpisodes.ts";

type Props = {
  all: readonly SampleHead[];
  numShown: number;
  filter: EpisodeFilter;
  onChange: (filter: EpisodeFilter) => void;
};

const outcomes = [
  { value: "all", label: "All" },
  { value: "solved", label: "Solved" },
  { value: "failed", label: "Not solved" },
] as const;

export function EpisodeFilters({ all, numShown, filter, onChange }: Props) {
  const { iterations, taskTypes } = choicesOf(all);
  const change = (changed: Partial<EpisodeFilter>) => onChange({ ...filter, ...changed });
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
      <Choice
        label="Iteration"
        labelled="beside"
        options={withAll(iterations.map(String))}
        value={String(filter.iteration ?? "")}
        onChange={(text) => change({ iteration: text === "" ? undefined : Number(text) })}
      />
      <Choice
        as="buttons"
        label="Outcome"
        options={outcomes}
        value={filter.outcome}
        onChange={(outcome) => change({ outcome })}
      />
      {taskTypes.length > 0 && (
        <Choice
          label="Task type"
          labelled="beside"
          options={withAll(taskTypes)}
          value={filter.taskType ?? ""}
          onChange={(type) => change({ taskType: type === "" ? undefined : type })}
        />
      )}
      <Checkbox
        label="With an invalid turn"
        checked={filter.isInvalidOnly}
        onChange={({ target }) => change({ isInvalidOnly: target.checked })}
      />
      <span className="text-muted" role="status">
        {numShown === all.length
          ? formatCount(numShown, "episode")
          : `${numShown} of ${formatCount(all.length, "episode")}`}
      </span>
    </div>
  );
}

/** The options preceded by "all". */
function withAll(values: readonly string[]) {
  return [{ value: "", label: "all" }, ...values.map((value) => ({ value, label: value }))];
}
