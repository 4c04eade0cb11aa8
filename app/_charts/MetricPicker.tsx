"use client";
import { useId, useRef, useState, type ReactNode } from "react";
import { describeMetric } from "#trainer/spec/metric.ts";
import { Input } from "../_ui/Input.tsx";
import { findMetrics, groupMetrics } from "./groupMetrics.ts";

type Props = {
  label: ReactNode;
  /** Says above the button what is picked, and is read out before the label. */
  title?: string;
  /** Metrics to choose from. */
  keys: readonly string[];
  onPick: (key: string) => void;
};

/** A button that opens all metrics by group, with a search over names and meanings; Enter takes the first found. */
export function MetricPicker({ label, title, keys, onPick }: Props) {
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  const [search, setSearch] = useState("");
  const groups = groupMetrics(findMetrics(keys, search));
  const pick = (key: string | undefined) => {
    if (key === undefined) return;
    panel.current?.hidePopover();
    setSearch("");
    onPick(key);
  };
  if (keys.length === 0) return null;
  return (
    <>
      {title !== undefined && (
        <span id={`${id}-title`} className="text-sm font-medium">
          {title}
        </span>
      )}
      <button
        type="button"
        id={`${id}-button`}
        aria-labelledby={title === undefined ? undefined : `${id}-title ${id}-button`}
        popoverTarget={id}
        className="control inline-flex max-w-full items-center justify-between gap-2 text-left"
      >
        <span className="truncate">{label}</span>
        <span aria-hidden="true" className="text-muted">
          ▾
        </span>
      </button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        className="m-1 max-h-[min(28rem,calc(100%-0.5rem))] w-88 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-md border border-line bg-surface p-3 text-sm text-text shadow-lg [position-area:bottom_span-right] [position-try:most-height_flip-inline,flip-block,flip-block_flip-inline]"
      >
        <Input
          type="search"
          aria-label="Search metrics"
          placeholder="Search, e.g. KL turn"
          autoFocus
          value={search}
          onChange={({ target }) => setSearch(target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            // The focus goes back to the button, which the same key press would press.
            event.preventDefault();
            pick(groups[0]?.keys[0]);
          }}
        />
        {groups.length === 0 && <p className="mt-2 text-muted">No metric matches “{search}”.</p>}
        <MetricList groups={groups} onPick={pick} />
      </div>
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
