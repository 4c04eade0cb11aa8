"use client";
import { useState } from "react";
import { describeMetric } from "#trainer/spec/metric.ts";
import { Input } from "../_ui/Input.tsx";
import { findMetrics, groupMetrics } from "./groupMetrics.ts";

type Props = {
  keys: readonly string[];
  onPick: (key: string) => void;
};

export function MetricSearch({ keys, onPick }: Props) {
  const [search, setSearch] = useState("");
  const groups = groupMetrics(findMetrics(keys, search));
  return (
    <>
      <Input
        type="search"
        autoFocus
        aria-label="Search metrics"
        placeholder="Search, e.g. KL turn"
        value={search}
        onChange={({ target }) => setSearch(target.value)}
        onKeyDown={(event) => {
          const first = groups[0]?.keys[0];
          if (event.key !== "Enter" || first === undefined) return;
          // Prevents the Enter key from also activating the picker's button, to which the focus returns.
          event.preventDefault();
          onPick(first);
        }}
      />
      {groups.length === 0 && <p className="mt-2 text-muted">No metric matches “{search}”.</p>}
      <MetricList groups={groups} onPick={onPick} />
    </>
  );
}

type ListProps = { groups: ReturnType<typeof groupMetrics>; onPick: (key: string) => void };

function MetricList({ groups, onPick }: ListProps) {
  return (
    <>
      {groups.map(({ name, title, keys: members }) => (
        <div key={name} role="group" aria-label={title} className="mt-3">
          <p className="mb-0.5 text-xs text-muted">{title}</p>
          {members.map((key) => (
            <button
              key={key}
              type="button"
              title={describeMetric(key).meaning}
              onClick={() => onPick(key)}
              className="block w-full rounded px-2 py-1 text-left hover:bg-sunken"
            >
              {describeMetric(key).title}
            </button>
          ))}
        </div>
      ))}
    </>
  );
}
