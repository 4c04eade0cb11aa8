import type { ActionScores } from "#server/playground/scoreActions.ts";
import { formatCount, formatValue } from "#app/_charts/format.ts";
import { ProbabilityBars } from "./ProbabilityBars.tsx";

/** The policy's probabilities over the admissible actions. */
export function ActionShares({ scores }: { scores: ActionScores }) {
  return (
    <div>
      <h3 className="mb-1 text-sm font-medium">Admissible actions: probability after this thought</h3>
      {scores.kind === "none" ? (
        <p className="text-xs text-muted">None: {scores.reason}.</p>
      ) : (
        <>
          <p className="mb-2 text-xs text-muted">
            Product of each action&apos;s token probabilities after the thought above, normalised over{" "}
            {formatCount(scores.actions.length, "action")} (together {formatValue(scores.total)} before normalising
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
