import type { Database } from "#server/db/storage/client.ts";
import { readStatable, type StatableGroup } from "#server/db/trainers/statements.ts";
import { describeStatement } from "#server/domain/trainers/import/applyStatement.ts";
import { proposeStatement, type Proposal } from "#server/domain/trainers/import/proposal/proposeStatement.ts";

export type StatedGroup = Pick<StatableGroup, "cellId" | "sweepId" | "name" | "environment" | "runIds"> & {
  /** Summary of the facts that users entered about these runs; "differently" if the entries disagree between runs. */
  stated?: string | undefined;
  proposal: Proposal;
};

/** Groups runs by recorded name, with the facts that users entered and those that the studio proposes. */
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
