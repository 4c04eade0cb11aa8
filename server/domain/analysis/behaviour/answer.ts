import { typesIn } from "#trainer/spec/actionTypes.ts";
import type { Answering } from "../answer.ts";
import { summariseBehaviour, toBehaviourCsv, toBehaviourTable } from "./behaviourTable.ts";
import { traceFlow } from "./flows.ts";
import { groupEpisodes } from "./groupEpisodes.ts";
import { compareTransitions } from "./transitions.ts";

export const behaviour = {
  answer(facts, asked) {
    const grouped = groupEpisodes(facts, asked);
    const { environment, environments, groups } = grouped;
    const transitions = compareTransitions(groups);
    return {
      environment,
      environments,
      types: typesIn(environment).map(({ letter, name, meaning }) => ({ letter, name, meaning })),
      // Six groups are drawn; further ones are in the table.
      flows: groups.slice(0, 6).map(({ title, episodes }) => ({ title, ...traceFlow(episodes, asked) })),
      sentence: summariseBehaviour(grouped, transitions),
      table: toBehaviourTable(grouped, transitions),
      longCsv: toBehaviourCsv(grouped),
      /** Stored transcripts with each row's transition. */
      transcripts: transitions.map((one) => one.transcripts),
      proved: { by: asked.by, environment, ...(asked.only && { only: asked.only }) },
    };
  },
} satisfies Answering<"behaviour">;
