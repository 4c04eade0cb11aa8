import type { Database } from "#server/db/client.ts";
import { readStatable, type StatableGroup } from "#server/db/statements.ts";
import { describeStatement } from "#server/domain/import/applyStatement.ts";
import { proposeStatement, type Proposal } from "#server/domain/import/proposal/proposeStatement.ts";

export type StatedGroup = Pick<StatableGroup, "cellId" | "sweepId" | "name" | "environment" | "runIds"> & {
  /** In words, where a person has stated something of all these runs alike; "differently" where not alike. */
  stated: string | undefined;
  proposal: Proposal;
};

/** Imported runs by their names, with what is stated of them and what could be. */
export async function readStatements(
  database: Database,
  scope: Parameters<typeof readStatable>[1],
): Promise<StatedGroup[]> {
  return (await readStatable(database, scope)).map(({ specs, params, ...group }) => {
    const texts = new Set(specs.map((spec) => (spec.stated ? describeStatement(spec) : undefined)));
    const [text] = texts;
    return {
      ...group,
      stated: texts.size > 1 ? "differently" : text,
      proposal: proposeStatement({ name: group.name, environment: group.environment, params }),
    };
  });
}
