"use client";
import { useQuery } from "@tanstack/react-query";
import type { PredictorAnswer } from "#server/api/reports/predictions.ts";
import { SvgFigure } from "#app/_charts/SvgFigure.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Notice } from "#app/_ui/Notice.tsx";
import { Skeleton } from "#app/_ui/Skeleton.tsx";
import { Cell, HeadCell, Table } from "#app/_ui/Table.tsx";
import { prepareReliability, formatVerdict } from "./preparePredictor.ts";
import { formatCount } from "#app/_charts/format.ts";

/** The learned predictor beside the rules: its description, its calibration, and its benefit. */
export function PredictorSection() {
  const trpc = useTrpc();
  const { data, error } = useQuery(trpc.stability.predictor.queryOptions());
  return (
    <section aria-label="Learned predictor" className="space-y-3">
      <h2 className="text-lg font-semibold">Learned predictor, beside the rules</h2>
      {error && <Notice tone="bad">{errorWords(error)}</Notice>}
      {!data && !error && <Skeleton className="h-40" />}
      {data && (data.state === "ready" ? <Ready answer={data} /> : <Missing answer={data} />)}
    </section>
  );
}

type Ready = Extract<PredictorAnswer, { state: "ready" }>;

function Missing({ answer }: { answer: Exclude<PredictorAnswer, Ready> }) {
  const { folder, labelled, minimum, why } = answer;
  const isEnough = labelled.collapsed >= minimum.collapsed && labelled.healthy >= minimum.healthy;
  return (
    <>
      <Notice tone={answer.state === "refused" ? "bad" : "info"}>{why}</Notice>
      <p className="max-w-prose text-sm text-muted">
        A training takes at least {minimum.collapsed} collapsed and {minimum.healthy} other runs with a clear label.
        This studio has {labelled.collapsed} and {labelled.healthy}
        {isEnough ? "" : ", too few by themselves: made-up runs of known mechanisms make up for them"}.
      </p>
      <p className="text-sm">
        <code className="rounded bg-sunken px-1.5 py-0.5 break-all">
          npx arlarena predictor train {folder} --logs {folder.replace(/predictor$/, "runs")}
        </code>
      </p>
    </>
  );
}

function Ready({ answer: { card, isOfTheseRules } }: { answer: Ready }) {
  const { heldOut, trainedOn, horizon, id } = card;
  return (
    <>
      <Notice tone={card.beatsRules ? "info" : "warn"}>{formatVerdict(card)}</Notice>
      {!isOfTheseRules && (
        <Notice tone="warn">
          It was trained beside the rules <code>{card.detector}</code>, which are not those in use: train it anew.
        </Notice>
      )}
      <p className="max-w-prose text-sm text-muted">
        Version <code>{id}</code>: the probability that a run collapses within {horizon} iterations, learned from{" "}
        {trainedOn.madeUp.runs} made-up runs ({trainedOn.madeUp.collapsed} collapsed) and {trainedOn.real.runs} real
        ones ({trainedOn.real.collapsed} collapsed), tested on {heldOut.predictor.examples.toLocaleString("en-US")}{" "}
        iterations of mechanisms that it never saw: {heldOut.groups.join(", ")}. Rules are read as probabilities by how
        often runs in each of their states collapsed.
      </p>
      <div className="grid gap-4 lg:grid-cols-2">
        <ReliabilityFigure card={card} />
        <ScoreTable heldOut={heldOut} />
      </div>
    </>
  );
}

type Card = Ready["card"];

function ReliabilityFigure({ card }: { card: Card }) {
  const { curves, data } = prepareReliability(card);
  return (
    <SvgFigure
      title="Reliability on held-out mechanisms"
      caption="Predicted probability against observed share; a calibrated predictor lies on the diagonal. Larger dots stand for more iterations."
      x={{ label: "Predicted probability", domain: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1] }}
      y={{ label: "Share that collapsed", domain: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1] }}
      data={data}
    >
      {({ x, y }) => (
        <>
          <line x1={x(0)} y1={y(0)} x2={x(1)} y2={y(1)} stroke="var(--edge)" strokeDasharray="4 4" />
          {curves.map(({ name, color, bins }) => (
            <g key={name}>
              <polyline
                points={bins.map(({ predicted, happened }) => `${x(predicted)},${y(happened)}`).join(" ")}
                fill="none"
                stroke={color}
                strokeWidth={1.5}
              />
              {bins.map(({ predicted, happened, count, radius }) => (
                <circle key={predicted} cx={x(predicted)} cy={y(happened)} r={radius} fill={color} fillOpacity={0.85}>
                  <title>{`${name}: predicted ${predicted.toFixed(3)}, observed ${happened.toFixed(3)}, ${formatCount(count, "iteration")}`}</title>
                </circle>
              ))}
            </g>
          ))}
          {curves.map(({ name, color }, i) => (
            <text key={name} x={x(0.03)} y={y(0.97) + 16 * i + 4} fill={color} fontWeight={600}>
              {name}
            </text>
          ))}
        </>
      )}
    </SvgFigure>
  );
}

function ScoreTable({ heldOut }: Pick<Card, "heldOut">) {
  return (
    <Table caption="Predictor and rules on held-out mechanisms" className="self-start">
      <thead>
        <tr>
          <HeadCell>Held-out mechanisms</HeadCell>
          <HeadCell className="text-right">Brier ↓</HeadCell>
          <HeadCell className="text-right">Skill ↑</HeadCell>
          <HeadCell className="text-right">ROC area ↑</HeadCell>
        </tr>
      </thead>
      <tbody>
        {(["predictor", "rules"] as const).map((who) => (
          <tr key={who}>
            <Cell>{who === "predictor" ? "Predictor" : "Rules"}</Cell>
            <Cell className="text-right">{heldOut[who].brier.toFixed(4)}</Cell>
            <Cell className="text-right">{heldOut[who].skill.toFixed(3)}</Cell>
            <Cell className="text-right">{heldOut[who].rocArea.toFixed(3)}</Cell>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
