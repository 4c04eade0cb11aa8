"use client";
import { memo, useCallback, useMemo, useState } from "react";
import type { GroupDetail, GroupHead, GroupTurn } from "#server/api/runs/groups.ts";
import { formatCount, formatPercent, formatValue } from "#app/_charts/format.ts";
import { showToken } from "#app/_components/Tokens.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { Cell, Head, Table } from "#app/_ui/Table.tsx";
import { EffectKey, GroupTokens } from "./GroupTokens.tsx";
import { describeToken, effectOf, maxGradientOf, sharesOf } from "./prepareGroups.ts";

type Place = { episode: number; turn: number; token: number };

/**
 * Episodes of a group side by side, headed by return and advantage. The chosen token's numbers and the key stand
 * beside the tokens, or below them on a phone, and cover none.
 */
export function GroupEpisodes({ head, detail }: { head: GroupHead; detail: GroupDetail }) {
  const [place, onShow] = useState<Place>();
  const turns = useMemo(() => detail.episodes.flatMap((episode) => episode.turns), [detail]);
  const maxGradient = useMemo(() => maxGradientOf(turns), [turns]);
  const present = useMemo(
    () => new Set(turns.flatMap(({ tokens }) => tokens.text.map((_, i) => effectOf(tokens, i)))),
    [turns],
  );
  const shown = place && detail.episodes[place.episode]?.turns[place.turn];
  return (
    <div className="space-y-4">
      <div className="grid gap-x-4 gap-y-3 lg:grid-cols-[minmax(0,1fr)_17rem]">
        <div
          role="region"
          aria-label="Episodes side by side"
          tabIndex={0}
          className="grid max-h-[65svh] auto-cols-[minmax(16rem,1fr)] grid-flow-col gap-3 overflow-auto pb-2"
        >
          {detail.episodes.map((episode, i) => (
            <section key={i} aria-label={`Episode ${i + 1}`} className="min-w-0 space-y-2">
              <EpisodeHead index={i} head={head} />
              {episode.turns.map((turn, t) => (
                <Turn
                  key={t}
                  {...{ turn, maxGradient, onShow }}
                  episode={i}
                  index={t}
                  shown={place?.episode === i && place.turn === t ? place.token : undefined}
                />
              ))}
            </section>
          ))}
        </div>
        <div className="min-w-0 space-y-3">
          <TokenFacts turn={shown} place={place} />
          <EffectKey present={present} />
        </div>
      </div>
      <EpisodeTable head={head} detail={detail} />
    </div>
  );
}

/** Heading of an episode's column, which stays while its tokens scroll. */
function EpisodeHead({ index, head }: { index: number; head: GroupHead }) {
  const [gain, advantage] = [head.returns[index] ?? null, head.advantages[index] ?? null];
  return (
    <div className="sticky top-0 z-10 bg-page pb-1">
      <h2 className="flex items-baseline justify-between gap-2 text-sm font-semibold">
        Episode {index + 1}{" "}
        <span className="font-normal">
          <Outcome isSuccess={head.successes[index] ?? null} />
        </span>
      </h2>
      <p className="text-xs text-muted">
        return {gain === null ? "not recorded" : formatValue(gain)}, advantage{" "}
        {advantage === null ? "not recorded" : formatValue(advantage)}
      </p>
    </div>
  );
}

type TurnProps = {
  episode: number;
  index: number;
  turn: GroupTurn;
  maxGradient: number;
  shown: number | undefined;
  onShow: (place: Place) => void;
};

/** Memoized, because every movement of the pointer changes one turn of thousands of tokens. */
const Turn = memo(function Turn({ episode, index, turn, onShow, ...rest }: TurnProps) {
  const title = `Turn ${index + 1}`;
  const onToken = useCallback((token: number) => onShow({ episode, turn: index, token }), [episode, index, onShow]);
  return (
    <div className="rounded-lg border border-line bg-surface p-2">
      <details className="mb-1 text-xs text-muted">
        <summary>
          {title}, reward {turn.reward === null ? "not recorded" : formatValue(turn.reward)}: prompt
        </summary>
        <pre tabIndex={0} className="max-h-64 overflow-auto font-mono leading-5 break-words whitespace-pre-wrap">
          {turn.prompt === "" ? "not recorded" : turn.prompt}
        </pre>
      </details>
      <GroupTokens label={`${title}: response; arrow keys choose a token`} turn={turn} onShow={onToken} {...rest} />
    </div>
  );
});

function EpisodeTable({ head, detail }: { head: GroupHead; detail: GroupDetail }) {
  const number = (x: number | null | undefined, show: (x: number) => string) =>
    x === null || x === undefined ? <span className="text-muted">not recorded</span> : show(x);
  // Files of other trainers have texts without tokens, which are split into words.
  const unit = detail.episodes.some(({ turns }) => turns.some(({ tokens }) => tokens.id.some((id) => id !== null)));
  const columns = [
    "Return",
    "Advantage (mean)",
    "Turns",
    unit ? "Tokens" : "Words",
    "Clipped",
    "Masked",
    "Versions behind",
  ];
  return (
    <Table caption="Episodes of the group">
      <Head cells={["Episode", "Outcome", ...columns.map((name) => ({ number: name }))]} />
      <tbody>
        {detail.episodes.map(({ turns, behind }, i) => {
          const { clipped, masked } = sharesOf(turns);
          return (
            <tr key={i}>
              <Cell className="py-1">{i + 1}</Cell>
              <Cell className="py-1">
                <Outcome isSuccess={head.successes[i] ?? null} />
              </Cell>
              <Cell className="py-1 text-right">{number(head.returns[i], formatValue)}</Cell>
              <Cell className="py-1 text-right">{number(head.advantages[i], formatValue)}</Cell>
              <Cell className="py-1 text-right">{turns.length}</Cell>
              <Cell className="py-1 text-right">{number(head.numTokens[i], String)}</Cell>
              <Cell className="py-1 text-right">{number(clipped, formatPercent)}</Cell>
              <Cell className="py-1 text-right">{number(masked, formatPercent)}</Cell>
              <Cell className="py-1 text-right">{number(behind, String)}</Cell>
            </tr>
          );
        })}
      </tbody>
    </Table>
  );
}

function Outcome({ isSuccess }: { isSuccess: boolean | null }) {
  if (isSuccess === null) return <span className="text-muted">not recorded</span>;
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
      <Icon name={isSuccess ? "check" : "cross"} className={`size-3.5 ${isSuccess ? "text-good" : "text-bad"}`} />
      {isSuccess ? "solved" : "not solved"}
    </span>
  );
}

/** All numbers of the chosen token. */
function TokenFacts({ turn, place }: { turn: GroupTurn | undefined; place: Place | undefined }) {
  return (
    <div
      aria-live="polite"
      aria-atomic="true"
      className="min-h-14 rounded-md border border-line bg-surface px-3 py-2 text-xs lg:min-h-64"
    >
      {!turn || !place ? (
        <p className="text-muted">
          Point at a token, or focus a response and use the arrow keys: all its numbers are shown here.
        </p>
      ) : (
        <>
          <p>
            <code className="font-mono">{showToken(turn.tokens.text[place.token] ?? "")}</code>{" "}
            <span className="text-muted">
              token {place.token + 1} of {formatCount(turn.tokens.text.length, "token")}, turn {place.turn + 1}, episode{" "}
              {place.episode + 1}
            </span>
          </p>
          <dl className="mt-1 flex flex-wrap gap-x-4 gap-y-0.5 lg:flex-col">
            {describeToken(turn, place.token).map(({ name, value }) => (
              <div key={name} className="flex gap-1 whitespace-nowrap lg:justify-between">
                <dt className="text-muted">{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </div>
  );
}
