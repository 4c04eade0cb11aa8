import type { ProposedToken } from "#server/playground/propose.ts";
import { formatCount } from "#app/_charts/format.ts";
import { showToken } from "#app/_components/showToken.ts";
import { ProbabilityBars } from "./ProbabilityBars.tsx";

/** Alternatives to a token, with their probabilities. */
export function NextTokens({ token: written, number }: { token: ProposedToken; number: number }) {
  const { topTokens, token, text, probability } = written;
  const isListed = topTokens.some((other) => other.token === token);
  const listed = isListed ? topTokens : [...topTokens, { token, text, probability }];
  return (
    <div>
      <h3 className="mb-1 text-sm font-medium">Token {number}: next-token probabilities</h3>
      <p className="mb-2 text-xs text-muted">
        {formatCount(topTokens.length, "top token", "top tokens")}; choose a token above.
      </p>
      <ProbabilityBars
        label={`Next-token probabilities of token ${number}`}
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
