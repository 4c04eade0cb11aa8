import type { SampleEpisode } from "#trainer/spec/sample.ts";

type Turn = SampleEpisode["turns"][number];
export type TokenView = {
  text: string;
  /** 0 for a certain token, 1 for one that was all but impossible. */
  surprise: number;
  /** "p = 0.83, log p = −0.19 nats", or that it was not logged. */
  about: string;
};

export function prepareTokens(response: Turn["response"]): TokenView[] {
  return response.map(({ token, logProb }) => {
    if (logProb === null) return { text: token, surprise: 0, about: "probability not finite" };
    const p = Math.exp(logProb);
    return {
      text: token,
      surprise: 1 - Math.min(1, p),
      about: `p = ${p.toPrecision(3)}, log p = ${logProb.toFixed(3)} nats`,
    };
  });
}

/** "valid", or which of the two checks the response failed. */
export function sayValidity({ isFormatValid, isActionValid }: Pick<Turn, "isFormatValid" | "isActionValid">): string {
  if (!isFormatValid) return "invalid format";
  return isActionValid ? "valid" : "no action of the environment";
}

/** Mean log-probability of a turn's tokens; NaN where none was finite. */
export function meanLogProb(response: Turn["response"]): number {
  const known = response.flatMap(({ logProb }) => (logProb === null ? [] : [logProb]));
  return known.length === 0 ? NaN : known.reduce((sum, x) => sum + x, 0) / known.length;
}
