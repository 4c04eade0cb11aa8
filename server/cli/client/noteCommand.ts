import type { Database } from "#server/db/storage/client.ts";

type Performed = { action: string; subject: string; person?: string | undefined };

/** Writes a command that changed the studio into the log of changes. `person`: name given by --as. */
export async function noteCommand(database: Database, { action, subject, person }: Performed): Promise<void> {
  const [{ noteChange }, { clip }] = await Promise.all([
    import("#server/db/people/changes.ts"),
    import("#server/domain/people/changes.ts"),
  ]);
  const who = person === undefined ? "command line" : `${person}, command line`;
  await noteChange(database.pool, { who, action, subject: clip(subject), problem: null });
}
