"use client";
import { skipToken, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { SvgFigure } from "#app/_charts/SvgFigure.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { keyedBy } from "#app/_trpc/keyedBy.ts";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Checkbox } from "#app/_ui/Checkbox.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { Skeleton } from "#app/_ui/Skeleton.tsx";
import { preparePrediction } from "./preparePredictor.ts";

type Props = { runId: string; until: number; last: number };

/** Predicted probability of a collapse over a replayed run. It is shown on request, by default only where the predictor beats the rules. */
export function PredictionPanel({ runId, until, last }: Props) {
  const trpc = useTrpc();
  const { data: answer } = useQuery(trpc.stability.predictor.queryOptions());
  const [wish, setWish] = useState<boolean>();
  const card = answer?.state === "ready" ? answer.card : undefined;
  const isShown = card !== undefined && (wish ?? card.beatsRules);
  const asked = trpc.stability.predict.queryOptions(isShown ? { runId } : skipToken, {
    staleTime: Infinity,
    retry: false,
  });
  // Fetched again for another predictor, and when the run has new iterations.
  const { data, error } = useQuery(keyedBy(asked, card?.id, last));
  if (!answer) return null;
  const prediction = data && preparePrediction(data, until);
  return (
    <div className="space-y-2">
      <Checkbox
        label={
          card
            ? `Learned probability of a collapse within ${card.horizon} iterations${card.beatsRules ? "" : " (does not beat the rules on held-out mechanisms)"}`
            : "Learned probability of a collapse (no predictor: see the Detectors tab)"
        }
        checked={isShown}
        disabled={!card}
        onChange={({ target }) => setWish(target.checked)}
      />
      {isShown && error && <Notice tone="warn">{errorWords(error)}</Notice>}
      {isShown && !data && !error && <Skeleton className="h-48" />}
      {isShown && prediction && card && (
        <SvgFigure
          title="Learned probability of a collapse"
          caption={`Within ${data.horizon} iterations, by predictor ${data.predictor}${prediction.last === undefined ? "; nothing before the warm-up ends" : `; now ${(100 * prediction.last).toFixed(1)} %`}`}
          x={{ label: "Iteration", domain: [0, last] }}
          y={{ label: "Probability", domain: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1] }}
          data={[["iteration", "probability"], ...prediction.points.map(({ iteration, value }) => [iteration, value])]}
          height={220}
        >
          {({ x, y }) => (
            <polyline
              points={prediction.points
                .map(({ iteration, value }) => `${x(iteration).toFixed(1)},${y(value).toFixed(1)}`)
                .join(" ")}
              fill="none"
              stroke="var(--accent)"
              strokeWidth={1.8}
            />
          )}
        </SvgFigure>
      )}
    </div>
  );
}
