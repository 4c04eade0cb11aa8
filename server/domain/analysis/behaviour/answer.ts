import { typesIn } from "#trainer/spec/actionTypes.ts";
import type { Answering } from "../answer.ts";
import { summariseBehaviour, toBehaviourCsv, toBehaviourTable } from "./behaviourTable.ts";
import { traceFlow } from "./flows.ts";
import { groupEpisodes } from "./groupEpisodes.ts";
import { compareTransitions } from "./transitions.ts";

/** Groups that are drawn; further ones are in the table. */
const maxDrawn = 6;

export const behaviour = {
  answer(facts, { by, environment, depth, threshold, only }) {
    const grouped = groupEpisodes(facts, { by, environment, only });
    const transitions = compareTransitions(grouped.groups);
    return {
      environment: grouped.environment,
      environments: grouped.environments,
      types: typesIn(grouped.environment).map(({ letter, name, meaning }) => ({ letter, name, meaning })),
      flows: grouped.groups
        .slice(0, maxDrawn)
        .map(({ title, episodes }) => ({ title, ...traceFlow(episodes, { depth, threshold }) })),
      sentence: summariseBehaviour(grouped, transitions),
      table: toBehaviourTable(grouped, transitions),
      longCsv: toBehaviourCsv(grouped),
      /** Stored transcripts with each row's transition. */
      transcripts: transitions.map((one) => one.transcripts),
      proved: { by, environment: grouped.environment, ...(only && { only }) },
    };
  },
} satisfies Answering<"behaviour">;
