"use client";
import { useQuery } from "@tanstack/react-query";
import type { SampleHead } from "#server/api/samples.ts";
import type { SampleEpisode } from "#trainer/spec/sample.ts";
import { formatCount, formatValue } from "#app/_charts/format.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Notice } from "#app/_ui/Notice.tsx";
import { meanLogProb, prepareTokens, sayValidity } from "./prepareSample.ts";

/** One sample episode, turn by turn. */
export function Episode({ runId, head }: { runId: string; head: SampleHead }) {
  const trpc = useTrpc();
  const { attempt, line } = head;
  const { data, error } = useQuery(
    // What was written does not change.
    trpc.run.sample.queryOptions({ id: runId, attempt, line }, { staleTime: Infinity }),
  );
  if (error) return <Notice tone="bad">{errorWords(error)}</Notice>;
  if (!data) return <p className="text-muted">Reading…</p>;
  return (
    <>
      <p className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-1 text-sm text-muted">
        <span>
          {data.isSuccess ? "Solved" : "Not solved"} in {formatCount(data.turns.length, "turn")}, reward{" "}
          {formatValue(data.episodeReward)}
        </span>
        <span className="inline-flex items-center gap-2">
          token: certain
          <span
            aria-hidden="true"
            className="h-3 w-24 rounded-sm border border-line bg-linear-to-r from-transparent to-warn/60"
          />
          unlikely
        </span>
      </p>
      <ol className="flex flex-col gap-3">
        {data.turns.map((turn, i) => (
          <TurnView key={i} number={i + 1} turn={turn} />
        ))}
      </ol>
    </>
  );
}

function TurnView({ number, turn }: { number: number; turn: SampleEpisode["turns"][number] }) {
  const { prompt, response, action, reward } = turn;
  const validity = sayValidity(turn);
  return (
    <li className="grid gap-x-4 gap-y-2 rounded-lg border border-line bg-surface p-3 md:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
      <p className="flex flex-wrap items-baseline gap-x-3 md:col-span-2">
        <strong className="font-semibold">Turn {number}</strong>
        <span>
          action <code className="font-mono text-sm">{action === "" ? "none" : action}</code>
        </span>
        {validity !== "valid" && <span className="text-warn">{validity}</span>}
        <span className="text-muted">reward {formatValue(reward)}</span>
        <span className="text-muted">mean log p {formatValue(meanLogProb(response))} nats/token</span>
      </p>
      <pre
        tabIndex={0}
        aria-label={`Prompt of turn ${number}`}
        className="max-h-80 overflow-auto rounded-md bg-sunken p-2 font-mono text-xs leading-5 break-words whitespace-pre-wrap"
      >
        {prompt}
      </pre>
      <p
        aria-label={`Response of turn ${number}`}
        className="flex flex-wrap content-start gap-1 font-mono text-xs leading-5"
      >
        {prepareTokens(response).map(({ text, surprise, about }, t) => (
          <span
            key={t}
            title={about}
            className="rounded-sm border border-line px-1"
            style={{ background: `color-mix(in srgb, var(--warn) ${Math.round(60 * surprise)}%, transparent)` }}
          >
            {text}
          </span>
        ))}
      </p>
    </li>
  );
}
