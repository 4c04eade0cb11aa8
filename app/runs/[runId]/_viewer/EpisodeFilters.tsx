"use client";
import type { SampleHead } from "#server/api/reports/samples.ts";
import { formatCount } from "#app/_charts/format.ts";
import { Checkbox } from "#app/_ui/Checkbox.tsx";
import { Select } from "#app/_ui/Input.tsx";
import { Segmented } from "#app/_ui/Segmented.tsx";
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
      <label className="inline-flex items-center gap-2">
        Iteration
        <Select
          value={filter.iteration ?? ""}
          onChange={({ target }) => change({ iteration: target.value === "" ? undefined : Number(target.value) })}
        >
          <option value="">all</option>
          {iterations.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </Select>
      </label>
      <Segmented
        label="Outcome"
        options={outcomes}
        value={filter.outcome}
        onChange={(outcome) => change({ outcome })}
      />
      {taskTypes.length > 0 && (
        <label className="inline-flex items-center gap-2">
          Task type
          <Select
            value={filter.taskType ?? ""}
            onChange={({ target }) => change({ taskType: target.value === "" ? undefined : target.value })}
          >
            <option value="">all</option>
            {taskTypes.map((type) => (
              <option key={type}>{type}</option>
            ))}
          </Select>
        </label>
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
