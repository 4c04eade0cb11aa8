import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { RunReplay } from "#server/api/analysis/replay.ts";
import { causesOnlySentence, type Hindsight, nameOutcome, toOutcome } from "#packages/detector";
import { nameUnit } from "#packages/base";
import { writeTick } from "#packages/statistics";
import { describeMetric } from "#trainer/spec/metric.ts";
import { formatCount } from "#app/_charts/format.ts";
import { SvgFigure } from "#app/_charts/SvgFigure.tsx";
import { Analysing, stoppable } from "#app/_components/Analysing.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Button } from "#app/_ui/Button.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import { StatusPill } from "#app/_ui/StatusPill.tsx";
import { states } from "#app/_ui/states.ts";
import { StatusStrip } from "#app/_components/stability/StatusStrip.tsx";
import { preparePanels, replayAt } from "./prepareReplay.ts";

/** Playback speeds: `value` is in iterations per second. */
const speeds = [
  { value: "1", label: "1×" },
  { value: "10", label: "10×" },
  { value: "100", label: "100×" },
  { value: "1000", label: "1000×" },
] as const;
type Speed = (typeof speeds)[number]["value"];
const frameMs = 100;

export function ReplayView({ runId }: { runId: string }) {
  const trpc = useTrpc();
  const query = useQuery(trpc.stability.replay.queryOptions({ runId }, { staleTime: 15_000, ...stoppable }));
  const { data, error } = query;
  if (!data || error) return <Analysing name="replay" input={{ runId }} query={query} className="h-96" />;
  return <Player replay={data} />;
}

function Player({ replay }: { replay: RunReplay }) {
  const numSteps = replay.iterations.length;
  const playback = usePlayback(numSteps);
  const now = replayAt(replay, Math.floor(playback.step));
  const last = replay.iterations.at(-1) ?? 1;
  return (
    <div className="space-y-4">
      <Controls playback={playback} numSteps={numSteps} now={now} last={last} />
      <StatusStrip changes={now.changes} last={now.iteration} length={last} />
      <Panels replay={replay} iteration={now.iteration} />
      <div className="grid gap-4 lg:grid-cols-2">
        {/* The list below the replay has all events, which this one would repeat before the first move. */}
        {playback.hasMoved && <Events events={now.events} />}
        <OtherRules replay={replay} iteration={now.iteration} />
      </div>
    </div>
  );
}

type Now = ReturnType<typeof replayAt>;
type Playback = ReturnType<typeof usePlayback>;

function usePlayback(numSteps: number) {
  const [moved, setMoved] = useState<number>();
  const step = moved ?? numSteps - 1;
  const [speed, setSpeed] = useState<Speed>("10");
  const [isPlaying, setIsPlaying] = useState(false);
  useEffect(() => {
    if (!isPlaying) return;
    const perFrame = (Number(speed) * frameMs) / 1000;
    const timer = setInterval(() => setMoved((now = numSteps - 1) => Math.min(numSteps - 1, now + perFrame)), frameMs);
    return () => clearInterval(timer);
  }, [isPlaying, speed, numSteps]);
  const isAtEnd = step >= numSteps - 1;
  const toggle = () => {
    if (isAtEnd) setMoved(0);
    setIsPlaying(!isPlaying || isAtEnd);
  };
  const goTo = (next: number) => {
    setIsPlaying(false);
    setMoved(next);
  };
  return { step, hasMoved: moved !== undefined, speed, setSpeed, isPlaying: isPlaying && !isAtEnd, toggle, goTo };
}

type ControlsProps = { playback: Playback; numSteps: number; now: Now; last: number };

function Controls({ playback, numSteps, now, last }: ControlsProps) {
  const { step, speed, setSpeed, isPlaying, toggle, goTo } = playback;
  const look = states[now.status];
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button kind="primary" onClick={toggle}>
        <Icon name={isPlaying ? "pause" : "play"} /> {isPlaying ? "Pause" : "Play"}
      </Button>
      <Choice as="buttons" label="Speed, iterations a second" options={speeds} value={speed} onChange={setSpeed} />
      <input
        type="range"
        aria-label="Iteration"
        aria-valuetext={`iteration ${now.iteration}`}
        className="min-w-40 flex-1 accent-(--accent)"
        min={0}
        max={numSteps - 1}
        value={Math.floor(step)}
        onChange={({ target }) => goTo(Number(target.value))}
      />
      <span className="w-32 text-sm tabular-nums">
        {now.iteration} of {last}
      </span>
      <StatusPill tone={look.tone} icon={look.icon}>
        {look.title}
      </StatusPill>
      <span className="text-sm text-muted">stability index {now.index.toFixed(0)} of 100</span>
    </div>
  );
}

export function Panels({ replay, iteration: until }: { replay: RunReplay; iteration: number }) {
  return (
    <div className="grid grid-cols-[repeat(auto-fit,minmax(min(22rem,100%),1fr))] gap-3">
      {preparePanels(replay, until).map(({ key, path, x, y, marks, data }) => (
        <SvgFigure
          key={key}
          title={describeMetric(key).title}
          x={{ label: "Iteration", domain: x }}
          y={{ label: nameUnit(describeMetric(key).unit), domain: y, format: (x) => writeTick(x, describeMetric(key)) }}
          data={data}
          height={230}
        >
          {(scales) => (
            <>
              {marks.map(({ iteration, severity, message }) => (
                <line
                  key={`${iteration}-${message}`}
                  x1={scales.x(iteration)}
                  x2={scales.x(iteration)}
                  y1={scales.y(y[0])}
                  y2={scales.y(y[1])}
                  stroke={states[severity].color}
                  strokeDasharray="3 3"
                  strokeWidth={1.5}
                >
                  <title>{`${iteration}: ${message}`}</title>
                </line>
              ))}
              <path d={path(scales)} fill="none" stroke="var(--accent)" strokeWidth={1.8} />
            </>
          )}
        </SvgFigure>
      ))}
    </div>
  );
}

function Events({ events }: { events: Now["events"] }) {
  return (
    <section aria-label="Events so far">
      <h2 className="mb-1 font-semibold">Events so far</h2>
      {events.length === 0 && <p className="text-muted">No event yet.</p>}
      <ul className="space-y-1 text-sm">
        {events.toReversed().map(({ iteration, severity, message }) => (
          <li key={`${iteration} ${message}`} className="grid grid-cols-[3rem_6rem_minmax(0,1fr)] items-start gap-2">
            <span className="text-right tabular-nums text-muted">{iteration}</span>
            <span className="inline-flex items-center gap-1">
              <span style={{ color: states[severity].color }}>
                <Icon name={states[severity].icon} className="size-3.5" />
              </span>
              {states[severity].title}
            </span>
            <span>{message}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function OtherRules({ replay, iteration: until }: { replay: RunReplay; iteration: number }) {
  const rules = replay.alarms.map(({ rule, iterations }) => ({
    rule,
    fired: iterations.filter((iteration) => iteration <= until),
  }));
  const numFired = rules.filter(({ fired }) => fired.length > 0).length;
  return (
    <details className="text-sm">
      <summary className="w-fit cursor-pointer">
        {numFired} of {formatCount(rules.length, "rule")} of other papers and tools fired by iteration {until}
      </summary>
      <ul className="mt-2 space-y-1">
        {rules.map(({ rule, fired }) => {
          return (
            <li key={rule}>
              {rule}:{" "}
              <span className="text-muted">
                {fired.length === 0 ? "not fired" : `${fired.slice(0, 12).join(", ")}${fired.length > 12 ? ", …" : ""}`}
              </span>
            </li>
          );
        })}
      </ul>
      <p className="mt-2 text-xs text-muted">{causesOnlySentence}</p>
      <p className="mt-2 text-sm">In hindsight: {replay.label ? nameLabel(replay.label) : "Not judged yet"}.</p>
    </details>
  );
}

/** Formats the label in hindsight with its tags: "Collapsed at 131, stalled". */
function nameLabel(label: Hindsight["label"]): string {
  return [
    nameOutcome(toOutcome(label, false)),
    ...label.tags.map((tag) => (tag === "hack" ? "reward hacking" : tag)),
  ].join(", ");
}
