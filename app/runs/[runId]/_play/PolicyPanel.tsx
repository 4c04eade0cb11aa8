import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Proposal, ProposedToken } from "#server/engine/playground/propose.ts";
import { formatCount, formatValue } from "#app/_charts/format.ts";
import { ShadeLegend, Tokens, showToken } from "#app/_components/Tokens.tsx";
import type { EpisodePlay } from "#app/_components/episode/useEpisode.ts";
import { useTrpcClient } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Button } from "#app/_ui/Button.tsx";
import { classes } from "#app/_ui/classes.ts";
import { Card } from "#app/_ui/Card.tsx";
import { TextField } from "#app/_ui/Field.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import type { TrainedRun } from "../trainedRun.ts";
import type { ActionScores } from "#server/engine/playground/scoreActions.ts";

type Props = { run: TrainedRun; seed: number; episode: EpisodePlay };

const modes = [
  { value: "sample", label: "Sample" },
  { value: "greedy", label: "Greedy" },
] as const;

export function PolicyPanel({ run, seed, episode }: Props) {
  const usual = run.spec.evaluation.temperature;
  const [mode, setMode] = useState<"sample" | "greedy">(usual === 0 ? "greedy" : "sample");
  const [temperature, setTemperature] = useState(usual === 0 ? "1" : String(usual));
  const [draw, setDraw] = useState(0);
  const wanted = Number(temperature);
  const isTemperature = temperature.trim() !== "" && wanted >= 0.01 && wanted <= 10;
  const { data, error, isPlaceholderData, isFetching, refetch } = useProposal(
    { runId: run.id, seed, replies: [...episode.replies], temperature: mode === "greedy" ? 0 : wanted, draw },
    mode === "greedy" || isTemperature,
  );
  const isBusy = isPlaceholderData || episode.isBusy;
  return (
    <Card
      title="The policy's move"
      actions={
        <>
          {mode === "sample" && (
            <Button disabled={isBusy || !data} onClick={() => setDraw(draw + 1)}>
              Sample again
            </Button>
          )}
          <Button kind="primary" disabled={isBusy || !data} onClick={() => data && episode.answer(data.reply)}>
            Take this move
          </Button>
        </>
      }
    >
      <div className="mb-3 flex flex-wrap items-end gap-x-4 gap-y-2">
        <Choice as="buttons" label="How the policy chooses" options={modes} value={mode} onChange={setMode} />
        {mode === "sample" && (
          <TemperatureField value={temperature} isValid={isTemperature} onChange={setTemperature} />
        )}
        <ShadeLegend hue="warn" from="p = 1" to="0" />
      </div>
      {error && (
        <Notice tone="bad">
          <p>{errorWords(error)}</p>
          <Button className="mt-2" onClick={() => void refetch()}>
            Try again
          </Button>
        </Notice>
      )}
      {data && (
        // The panel is dimmed while it shows results of the previous turn or settings.
        <div aria-busy={isPlaceholderData} className={classes(isPlaceholderData && "opacity-60")}>
          <ProposalView key={JSON.stringify(data.reply)} proposal={data} />
        </div>
      )}
      {!data && isFetching && (
        <p className="text-muted">
          {run.spec.policy.pretrained === undefined
            ? "Thinking…"
            : "Thinking… A language model runs on one processor of the studio's server. A large model takes minutes."}
        </p>
      )}
    </Card>
  );
}

type TemperatureProps = { value: string; isValid: boolean; onChange: (value: string) => void };

function TemperatureField({ value, isValid, onChange }: TemperatureProps) {
  return (
    <TextField
      label="Temperature"
      error={isValid ? undefined : "0.01 to 10"}
      className="w-28"
      type="number"
      min={0.01}
      max={10}
      step={0.1}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

function ProposalView({ proposal }: { proposal: Proposal }) {
  const { tokens, isCut, actions, read } = proposal;
  const [at, setAt] = useState(() => afterActionTag(tokens));
  const token = tokens[at];
  const marks = tokens.map(({ text, probability, entropy }) => ({
    text,
    shade: 1 - probability,
    about: `p = ${formatValue(probability)}, entropy ${formatValue(entropy)} nats`,
  }));
  return (
    <>
      {read && <ReadText read={read} />}
      <Tokens
        label="Proposed response"
        hue="warn"
        isProse={read !== undefined}
        tokens={marks}
        chosen={at}
        onChoose={setAt}
      />
      {isCut && <p className="text-sm text-warn">The response reached the length limit before an end token.</p>}
      <div className="mt-3 grid gap-4 sm:grid-cols-2">
        {token && <NextTokens token={token} number={at + 1} />}
        <ActionShares scores={actions} />
      </div>
    </>
  );
}

/** Returns the index of the token that is selected first: the one after `<action>`, or 0 without `<action>`. */
function afterActionTag(tokens: Proposal["tokens"]): number {
  let text = "";
  const end = tokens.findIndex((token) => (text += token.text).includes("<action>"));
  return Math.min(end + 1, tokens.length - 1);
}

/** Shows the complete text that the language model receives, including its chat template. */
function ReadText({ read: { text, numTokens, contextTokens } }: { read: NonNullable<Proposal["read"]> }) {
  return (
    <details className="mb-3 text-sm">
      <summary className="cursor-pointer text-muted hover:text-text">
        Prompt as the model read it: {formatCount(numTokens, "token")} of a context of{" "}
        {contextTokens.toLocaleString("en-US")}
      </summary>
      <pre
        tabIndex={0}
        aria-label="Prompt as the model read it"
        className="mt-2 max-h-80 overflow-auto rounded-md bg-sunken p-3 font-mono text-xs leading-5 break-words whitespace-pre-wrap"
      >
        {text}
      </pre>
    </details>
  );
}

type Asked = {
  runId: string;
  seed: number;
  replies: EpisodePlay["replies"][number][];
  temperature: number;
  draw: number;
};

function useProposal(asked: Asked, enabled: boolean) {
  const client = useTrpcClient();
  return useQuery({
    queryKey: ["policy.propose", asked],
    queryFn: ({ signal }) => client.policy.propose.mutate(asked, { signal }),
    enabled,
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });
}

function ActionShares({ scores }: { scores: ActionScores }) {
  return (
    <div>
      <h3 className="mb-1 text-sm font-medium">Admissible actions: probability after this thought</h3>
      {scores.kind === "none" ? (
        <p className="text-xs text-muted">None: {scores.reason}.</p>
      ) : (
        <>
          <p className="mb-2 text-xs text-muted">
            Product of each action&apos;s token probabilities after the thought above, normalised over{" "}
            {formatCount(scores.actions.length, "action")} (sum {formatValue(scores.total)} before normalising
            {scores.numLeftOut > 0 && `; ${formatCount(scores.numLeftOut, "action")} not scored`}).
          </p>
          <ProbabilityBars
            label="Action probabilities"
            bars={scores.actions.map(({ action, share, isChosen }) => ({
              label: action,
              probability: share,
              isMarked: isChosen,
            }))}
          />
        </>
      )}
    </div>
  );
}

function NextTokens({ token: written, number }: { token: ProposedToken; number: number }) {
  const { topTokens, token, text, probability } = written;
  const isListed = topTokens.some((other) => other.token === token);
  const listed = isListed ? topTokens : [...topTokens, { token, text, probability }];
  return (
    <div>
      <h3 className="mb-1 text-sm font-medium">Token {number}: next-token probabilities</h3>
      <p className="mb-2 text-xs text-muted">
        {formatCount(topTokens.length, "most probable token")}. Choose another token above to see the alternatives to
        that token.
      </p>
      <ProbabilityBars
        label={`Next-token probabilities at position ${number}`}
        bars={listed.map((other) => ({
          key: other.token,
          label: showToken(other.text),
          probability: other.probability,
          isMarked: other.token === token,
        }))}
      />
    </div>
  );
}

/** A bar for one probability. `key` is set where labels may repeat, as for byte-level tokens. */
type Bar = { key?: number; label: string; probability: number; isMarked: boolean };

function ProbabilityBars({ label, bars }: { label: string; bars: readonly Bar[] }) {
  return (
    <ol aria-label={label} className="flex max-h-64 flex-col gap-0.5 overflow-y-auto">
      {bars.map(({ key, label, probability, isMarked }) => (
        <li key={key ?? label} className="grid grid-cols-[minmax(0,1fr)_3.5rem] items-center gap-2 font-mono text-xs">
          <span className="relative min-w-0 rounded-sm px-1 leading-5">
            <span
              aria-hidden="true"
              className={classes("absolute inset-y-0 left-0 rounded-sm", isMarked ? "bg-accent/35" : "bg-edge/25")}
              style={{ width: `${100 * probability}%` }}
            />
            <span className={classes("relative break-words", isMarked && "font-semibold")}>{label}</span>
          </span>
          <span className="text-right tabular-nums">{formatShare(probability)}</span>
        </li>
      ))}
    </ol>
  );
}

function formatShare(x: number): string {
  if (Number.isNaN(x)) return "NaN";
  return x > 0 && x < 0.0005 ? "<0.1 %" : `${(100 * x).toFixed(1)} %`;
}
