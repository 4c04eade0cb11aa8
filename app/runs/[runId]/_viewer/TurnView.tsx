import { formatValue } from "#app/_charts/format.ts";
import { formatValidity } from "#app/_components/episode/turns.ts";
import { Tokens } from "#app/_components/Tokens.tsx";
import { Card } from "#app/_ui/Card.tsx";
import { breakSections, meanOfKnown, prepareTokens, type StoredTurn, type Shading } from "./prepareTurn.ts";

type Props = {
  number: number;
  turn: StoredTurn;
  /** Sum of the episode's rewards up to and including this turn. */
  rewardSoFar: number;
  shading: Shading;
  entropyScale: number;
};

export function TurnView({ number, turn, rewardSoFar, shading, entropyScale }: Props) {
  const { prompt, response, written, action, reward } = turn;
  const validity = formatValidity(turn);
  const entropy = meanOfKnown(response.map((token) => token.entropy));
  // A rollout imported as plain text has no token data, and the studio did not check its format.
  const isText = response.every(({ logProb }) => logProb === null);
  return (
    <div className="grid gap-3 xl:grid-cols-2">
      <Card title="Prompt">
        <pre
          tabIndex={0}
          aria-label={`Prompt of turn ${number}`}
          className="max-h-96 overflow-auto font-mono text-xs leading-5 break-words whitespace-pre-wrap"
        >
          {written ? prompt : breakSections(prompt)}
        </pre>
      </Card>
      <Card title="Response">
        <Tokens
          label={`Response of turn ${number}`}
          hue={shading === "entropy" ? "accent" : "warn"}
          isProse={written !== undefined}
          tokens={prepareTokens(response, shading, entropyScale)}
        />
        <dl className="mt-3 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 border-t border-line pt-3 text-sm">
          <dt className="text-muted">Action</dt>
          <dd className="min-w-0">
            <code className="font-mono break-words whitespace-pre-wrap">{action === "" ? "none" : action}</code>
          </dd>
          {!isText && (
            <>
              <dt className="text-muted">Validity</dt>
              <dd className={validity === "valid" ? "" : "text-warn"}>{validity}</dd>
            </>
          )}
          <dt className="text-muted">Reward</dt>
          <dd>
            {formatValue(reward)} <span className="text-muted">({formatValue(rewardSoFar)} so far)</span>
          </dd>
          {!isText && (
            <>
              <dt className="text-muted">Tokens</dt>
              <dd>
                {response.length}, mean log p {formatValue(meanOfKnown(response.map(({ logProb }) => logProb)))} nats
                {!Number.isNaN(entropy) && `, mean entropy ${formatValue(entropy)} nats`}
              </dd>
            </>
          )}
        </dl>
      </Card>
    </div>
  );
}
