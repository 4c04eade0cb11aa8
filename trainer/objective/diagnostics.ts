import type { Clipping } from "#trainer/spec/dimensions.ts";
import type { MetricKey } from "#trainer/spec/metric.ts";
import { maxLogRatio, maxSequenceLogRatio } from "./clipping.ts";
import { k1, k3 } from "./kl.ts";
import type { TokenBatch } from "./sequenceMask.ts";

export type DiagnosticsBatch = TokenBatch & {
  /** (B, T) log π_ref; without it there is no KL to the reference. */
  referenceLogProbs?: ArrayLike<number>;
  /** (B,) what sequence masking kept; without it all rows. */
  kept?: readonly boolean[];
};

/** Sums, counts and extremes of one or more mini-batches, so that mini-batches of any size can be joined exactly. */
export type PolicyTally = {
  numRows: number;
  numMaskedRows: number;
  /** Response tokens of all rows, and of those that the policy loss sees. */
  numTokens: number;
  numKeptTokens: number;
  numClipped: number;
  numAbove: number;
  numBelow: number;
  numDual: number;
  klOldSum: number;
  klReferenceSum: number;
  /** 0 when there is no reference policy. */
  numReferenceTokens: number;
  ratioSum: number;
  ratioMin: number;
  ratioMax: number;
};

export const emptyTally: PolicyTally = {
  numRows: 0,
  numMaskedRows: 0,
  numTokens: 0,
  numKeptTokens: 0,
  numClipped: 0,
  numAbove: 0,
  numBelow: 0,
  numDual: 0,
  klOldSum: 0,
  klReferenceSum: 0,
  numReferenceTokens: 0,
  ratioSum: 0,
  ratioMin: Infinity,
  ratioMax: -Infinity,
};

/**
 * Counts what one update did to the ratios, in double precision. As in the papers' code, clipping and the old-new KL
 * are over the rows that sequence masking kept; ratios and the KL to the reference are over all rows.
 * A value that is not finite makes its sum, minimum or maximum not finite.
 */
export function tallyPolicy(clipping: Clipping, batch: DiagnosticsBatch): PolicyTally {
  const [numRows] = batch.shape;
  const tally = { ...emptyTally };
  for (let row = 0; row < numRows; row++) {
    const tokens = responseTokens(batch, row);
    if (tokens.length === 0) continue;
    const isKept = batch.kept?.[row] ?? true;
    tally.numRows++;
    if (!isKept) tally.numMaskedRows++;
    const sequence = clipping.kind === "sequence" ? sequenceRatio(batch, tokens) : undefined;
    for (const at of tokens) {
      const logProb = batch.logProbs[at] ?? 0;
      const advantage = batch.advantages[at] ?? 0;
      const logRatio = bounded(logProb - (batch.oldLogProbs[at] ?? 0));
      const ratio = Math.exp(logRatio);
      addRatio(tally, ratio);
      if (batch.referenceLogProbs) addReference(tally, k3(logProb, batch.referenceLogProbs[at] ?? 0));
      if (isKept) addClipping(tally, -logRatio, clipEvents(clipping, sequence ?? ratio, advantage));
    }
  }
  return tally;
}

/** Positions of one row's response tokens in (B, T). */
function responseTokens({ shape: [, width], mask }: DiagnosticsBatch, row: number): number[] {
  const tokens: number[] = [];
  for (let at = row * width; at < (row + 1) * width; at++) if (mask[at]) tokens.push(at);
  return tokens;
}

/** Joins the tallies of two disjoint sets of mini-batches. */
export function mergeTallies(a: PolicyTally, b: PolicyTally): PolicyTally {
  return {
    numRows: a.numRows + b.numRows,
    numMaskedRows: a.numMaskedRows + b.numMaskedRows,
    numTokens: a.numTokens + b.numTokens,
    numKeptTokens: a.numKeptTokens + b.numKeptTokens,
    numClipped: a.numClipped + b.numClipped,
    numAbove: a.numAbove + b.numAbove,
    numBelow: a.numBelow + b.numBelow,
    numDual: a.numDual + b.numDual,
    klOldSum: a.klOldSum + b.klOldSum,
    klReferenceSum: a.klReferenceSum + b.klReferenceSum,
    numReferenceTokens: a.numReferenceTokens + b.numReferenceTokens,
    ratioSum: a.ratioSum + b.ratioSum,
    ratioMin: Math.min(a.ratioMin, b.ratioMin),
    ratioMax: Math.max(a.ratioMax, b.ratioMax),
  };
}

/** The logged metrics of a tally. What was counted over no tokens is left out: a gap, not a zero. */
export function summarise(tally: PolicyTally): Partial<Record<MetricKey, number>> {
  const { numTokens, numKeptTokens, numReferenceTokens, numRows } = tally;
  return {
    ...(numKeptTokens > 0 && {
      "policy/clipFraction": tally.numClipped / numKeptTokens,
      "policy/clipFractionHigh": tally.numAbove / numKeptTokens,
      "policy/clipFractionLow": tally.numBelow / numKeptTokens,
      "policy/clipFractionDual": tally.numDual / numKeptTokens,
      "policy/klOld": tally.klOldSum / numKeptTokens,
    }),
    ...(numReferenceTokens > 0 && { "policy/klReference": tally.klReferenceSum / numReferenceTokens }),
    ...(numTokens > 0 && {
      "policy/ratioMin": tally.ratioMin,
      "policy/ratioMean": tally.ratioSum / numTokens,
      "policy/ratioMax": tally.ratioMax,
    }),
    ...(numRows > 0 && { "policy/maskedRowFraction": tally.numMaskedRows / numRows }),
  };
}

type ClipEvents = { isClipped: boolean; isAbove: boolean; isBelow: boolean; isDual: boolean };

/** SAPO has no range; its clip fraction reports the usual one. */
const usualRange = { low: 0.2, high: 0.2 } as const;

/** Which bounds act on one token; `isAbove` and `isBelow` look at the ratio alone, `isClipped` at what the loss does. */
export function clipEvents(clipping: Clipping, ratio: number, advantage: number): ClipEvents {
  const { low, high } = "low" in clipping ? clipping : usualRange;
  const isAbove = ratio > 1 + high;
  const isBelow = ratio < 1 - low;
  const isHeld = (isAbove && advantage > 0) || (isBelow && advantage < 0);
  switch (clipping.kind) {
    case "token":
      return { isClipped: isHeld, isAbove, isBelow, isDual: isDualClipped(clipping, ratio, advantage) };
    case "sequence":
    case "sapo":
      return { isClipped: isHeld, isAbove, isBelow, isDual: false };
    case "aepo":
    case "geometricMean":
    case "clipCov":
    case "klCov":
      throw new Error(`clipping ${clipping.kind} is not built yet`);
    case "cispo":
      return { isClipped: isAbove || isBelow, isAbove, isBelow, isDual: false };
  }
}

/** max(−A·w, −A·clip(w)) > −A·c with A < 0, that is max(w, 1 − low) > c. */
function isDualClipped({ dual, low }: { dual: number | null; low: number }, ratio: number, advantage: number): boolean {
  return dual !== null && advantage < 0 && Math.max(ratio, 1 - low) > dual;
}

/** s = exp(mean_t log w) of one row (GSPO). */
function sequenceRatio({ logProbs, oldLogProbs }: TokenBatch, tokens: readonly number[]): number {
  const total = tokens.reduce((sum, at) => sum + k1(logProbs[at] ?? 0, oldLogProbs[at] ?? 0), 0);
  return Math.exp(Math.min(total / tokens.length, maxSequenceLogRatio));
}

function bounded(logRatio: number): number {
  return Math.max(-maxLogRatio, Math.min(maxLogRatio, logRatio));
}

function addRatio(tally: PolicyTally, ratio: number): void {
  tally.numTokens++;
  tally.ratioSum += ratio;
  tally.ratioMin = Math.min(tally.ratioMin, ratio);
  tally.ratioMax = Math.max(tally.ratioMax, ratio);
}

function addReference(tally: PolicyTally, kl: number): void {
  tally.numReferenceTokens++;
  tally.klReferenceSum += kl;
}

function addClipping(tally: PolicyTally, klOld: number, events: ClipEvents): void {
  tally.numKeptTokens++;
  tally.klOldSum += klOld;
  if (events.isClipped) tally.numClipped++;
  if (events.isAbove) tally.numAbove++;
  if (events.isBelow) tally.numBelow++;
  if (events.isDual) tally.numDual++;
}
