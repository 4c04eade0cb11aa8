import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { RunReplay } from "#server/api/analysis/replay.ts";
import { causesOnlySentence, type Hindsight, nameOutcome, toOutcome } from "#packages/detector";
import { formatCount, nameUnit } from "#packages/base";
import { writeTick } from "#packages/statistics";
import { describeMetric } from "#trainer/spec/metric.ts";
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

type Props = { runId: string; color: string; isOver: boolean };

export function ReplayView({ runId, ...shown }: Props) {
  const trpc = useTrpc();
  const query = useQuery(trpc.stability.replay.queryOptions({ runId }, { staleTime: 15_000, ...stoppable }));
  const { data, error } = query;
  if (!data || error) return <Analysing name="replay" input={{ runId }} query={query} className="h-96" />;
  return <Player replay={data} {...shown} />;
}

function Player({ replay, color, isOver }: { replay: RunReplay } & Omit<Props, "runId">) {
  const numSteps = replay.iterations.length;
  const playback = usePlayback(numSteps);
  const now = replayAt(replay, Math.floor(playback.step));
  const last = replay.iterations.at(-1) ?? 1;
  return (
    <div className="space-y-4">
      <Controls playback={playback} numSteps={numSteps} now={now} last={last} />
      <div>
        <StatusStrip changes={now.changes} last={now.iteration} length={last} />
        <StripWords changes={now.changes} last={last} />
      </div>
      <Panels replay={replay} iteration={now.iteration} color={color} />
      <OtherRules replay={replay} iteration={now.iteration} isOver={isOver} />
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
  return { step, speed, setSpeed, isPlaying: isPlaying && !isAtEnd, toggle, goTo };
}

const maxNamed = 12;

/** The strip's ends, and its states in words. */
function StripWords({ changes, last }: { changes: Now["changes"]; last: number }) {
  return (
    <div className="mt-0.5 flex justify-between gap-3 text-xs text-muted">
      <span>0</span>
      <ul aria-label="States" className="flex flex-wrap justify-center gap-x-3">
        {changes.slice(0, maxNamed).map(({ iteration, status }) => (
          <li key={iteration} className="flex items-center gap-1">
            <span style={{ color: states[status].color }}>
              <Icon name={states[status].icon} className="size-3" />
            </span>
            {states[status].title} from {iteration}
          </li>
        ))}
        {changes.length > maxNamed && <li>…</li>}
      </ul>
      <span>{last}</span>
    </div>
  );
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
      <span className="text-sm text-muted">stability index {now.index.toFixed(0)} of 100 (100: stable)</span>
    </div>
  );
}

type PanelsProps = { replay: RunReplay; iteration: number; color: string };

export function Panels({ replay, iteration: until, color }: PanelsProps) {
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
              <path d={path(scales)} fill="none" stroke={color} strokeWidth={1.8} />
            </>
          )}
        </SvgFigure>
      ))}
    </div>
  );
}

type OtherRulesProps = { replay: RunReplay; iteration: number; isOver: boolean };

function OtherRules({ replay, iteration: until, isOver }: OtherRulesProps) {
  const rules = replay.alarms.map(({ rule, iterations }) => ({
    rule,
    fired: iterations.filter((iteration) => iteration <= until),
  }));
  const numFired = rules.filter(({ fired }) => fired.length > 0).length;
  const isWhole = isOver && until >= (replay.iterations.at(-1) ?? 0);
  return (
    <details className="text-sm">
      <summary className="w-fit cursor-pointer">
        {numFired} of {formatCount(rules.length, "rule")} for alarms fired
      </summary>
      <ul className="mt-1 grid w-fit grid-cols-[auto_auto] gap-x-6 gap-y-1">
        {rules.map(({ rule, fired }) => (
          <li key={rule} className="col-span-2 grid grid-cols-subgrid">
            <span>{rule}</span>
            <span className="text-muted">
              {fired.length === 0
                ? isWhole
                  ? "never"
                  : "not yet"
                : `at ${fired.slice(0, 12).join(", ")}${fired.length > 12 ? ", …" : ""}`}
            </span>
          </li>
        ))}
      </ul>
      <p className="mt-2 text-xs text-muted">{causesOnlySentence}</p>
      {replay.label && replay.label.tags.length > 0 && <p className="mt-2">In hindsight: {nameLabel(replay.label)}.</p>}
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
