import { questions } from "#server/domain/analysis/questions.ts";
import { pages } from "#server/domain/pages.ts";

export type Shipped = {
  title: string;
  asks: string;
  /** Files in `studies/`, in the order in which they are imported. */
  files: readonly string[];
  /** Page of all sweeps together on which the study opens; absent: the page of its first sweep. */
  page?: string;
};

/** Recorded studies that ship with the studio, each opened by one click. */
export const shippedStudies = {
  table3: {
    title: "Table 3 of ARLArena",
    asks: "Which of ten methods succeeds, and which collapses?",
    files: ["table3-sokoban", "table3-webshop", "table3-alfworld"],
  },
  rescue: { title: "Rescue", asks: questions.rescue.asks, files: ["rescue/webshop"], page: pages.rescue },
  transfer: { title: "Transfer", asks: questions.transfer.asks, files: ["transfer/sokoban"], page: pages.transfer },
  behaviour: {
    title: "Behaviour",
    asks: questions.behaviour.asks,
    files: ["behaviour/webshop"],
    page: pages.behaviour,
  },
} as const satisfies Record<string, Shipped>;

export type ShippedId = keyof typeof shippedStudies;

/** Progress of an import: runs stored, then tables computed again. */
export type StudyProgress = { numRuns: number; numAllRuns: number; numProofs: number };
