import type { LookRule } from "#server/domain/runs/looks.ts";
import type { Need } from "./facts.ts";

export type Question = {
  /** Name on pages, in commands' help and in error messages. */
  title: string;
  asks: string;
  /** Queue in which the answer is computed. Short analyses, requested when pages open, never wait for long ones. */
  lane: "short" | "long";
  /** Facts that `readFacts` reads. Labels and stored success must be there before the answer can be proved. */
  needs: readonly Need[];
  /** False if the answer describes runs and tests no method: branches of one run with equal settings all count. */
  isOfMethods?: boolean;
  /** True if it may be asked about all sweeps of the studio, by null. */
  isOfAll?: true;
  /** Absent for tables without a test, and for tests of runs that are no seeds of a plan. */
  looks?: LookRule;
  /** Reason why the table has no rows, and the remedy. */
  empty?: string;
};

const ofResults = {
  lane: "long",
  needs: ["configurations", "metrics", "missingMetrics"],
  isOfMethods: false,
  looks: "allowed",
} as const;
const ofLabels = { lane: "long", needs: ["labels", "configurations"] } as const;

/**
 * Questions about the runs of chosen sweeps, each answered with a table. A question has a row here, options
 * (`questionOptions.ts`) and an answer (a pure function, listed in `server/api/publish/answers.ts`). These lists make its
 * API procedure, command, report block and proof.
 */
export const questions = {
  final: { title: "Results", asks: "How successful is each method after training?", ...ofResults },
  beforeAfter: { title: "Before and after", asks: "How much does training improve each method?", ...ofResults },
  tasks: { title: "Types of tasks", asks: "On which types of tasks does each method succeed?", ...ofResults },
  stability: {
    title: "Stability and cost",
    asks: "How stable and how expensive is each method?",
    ...ofResults,
    needs: [...ofResults.needs, "collapses"],
  },
  compare: {
    title: "Compare",
    asks: "Which configurations differ from a baseline after training?",
    lane: "short",
    needs: ["configurations"],
    looks: "allowed",
  },
  overview: {
    title: "Overview",
    asks: "Which runs raised alarms, and which collapsed?",
    lane: "short",
    needs: ["labels"],
  },
  survival: {
    title: "Survival",
    asks: "How long do runs train before they collapse?",
    lane: "long",
    needs: ["labels", "success", "groups", "settings", "awaited"],
    looks: "allowed",
  },
  equivalence: {
    title: "Equivalence",
    asks: "Which groups are as successful as the baseline?",
    lane: "long",
    needs: ["labels", "success", "groups", "settings"],
    looks: "allowed",
  },
  hazards: {
    title: "Staleness and precision",
    asks: "How do the sampler's staleness and precision change the hazard of collapse?",
    lane: "long",
    needs: ["labels", "configurations", "settingsBesideSampler"],
    looks: "ignored",
    empty: "staleness and precision of the sampler do not vary, or no run collapsed",
  },
  blind: {
    title: "Alarm rules",
    asks: "How many collapses do alarms find, and how early?",
    lane: "long",
    needs: ["labels", "configurations", "hindsights"],
    looks: "ignored",
    isOfAll: true,
  },
  climbs: {
    title: "Early signals",
    asks: "Which signals change before success falls?",
    ...ofLabels,
    looks: "ignored",
  },
  forecast: {
    title: "Forecast",
    asks: "How well do effective sample size and KL divergence predict a collapse?",
    ...ofLabels,
    looks: "ignored",
    empty: "no judged run logs the effective sample size and the KL divergence between sampler and policy",
  },
  dimensions: {
    title: "Dimensions",
    asks: "Which of the four design dimensions matters?",
    ...ofLabels,
    looks: "ignored",
  },
  phases: {
    title: "Phases",
    asks: "At which settings do runs collapse?",
    lane: "long",
    needs: ["labels", "parameters"],
    looks: "ignored",
  },
  transfer: {
    title: "Transfer",
    asks: "How successful are policies in other environments?",
    lane: "short",
    needs: ["configurations", "metrics", "evaluations"],
    looks: "ignored",
    empty: "no run was evaluated elsewhere: name other environments in base.evaluation.elsewhere of a plan",
  },
  rescue: {
    title: "Rescue",
    asks: "Which change would have prevented the collapse?",
    lane: "short",
    needs: ["labels", "branches"],
    isOfAll: true,
    empty: "no branch has ended: launch some with `npx arlarena rescue RUN`",
  },
  behaviour: {
    title: "Behaviour",
    asks: "Which actions follow each other in success and in failure?",
    lane: "long",
    needs: ["traces", "configurations"],
    looks: "ignored",
    empty:
      "no evaluation of these runs logged its actions: runs of older versions, of other trainers and with execution.traces: false have none",
  },
  claims: {
    title: "Claims",
    asks: "Which claims of the papers do these runs support?",
    ...ofLabels,
    looks: "allowed",
  },
} as const satisfies Record<string, Question>;

export type QuestionId = keyof typeof questions;
export const questionIds = Object.keys(questions) as QuestionId[];

export function isQuestion(name: string): name is QuestionId {
  return Object.hasOwn(questions, name);
}

/** Name of the API procedure that answers a question. */
export const procedureOf = <Id extends QuestionId>(id: Id) => `analysis.${id}` as const;
