import type { PoolClient } from "pg";
import { z } from "zod";
import { isPassword, sealPassword } from "#server/config/password.ts";
import { AppError } from "#packages/base";
import { toLooks } from "#server/domain/people/looks.ts";
import { NewPersonName, toNameKey } from "#server/domain/people/personName.ts";
import { Role } from "#server/domain/people/access.ts";
import type { Database } from "../storage/client.ts";
import { inTransaction } from "../storage/inTransaction.ts";
import { readRows } from "../storage/readRows.ts";

export const Person = z.object({ id: z.int(), name: z.string(), role: Role });
export type Person = z.infer<typeof Person>;

const PersonRow = Person.extend({
  createdAt: z.date(),
  lastSeenAt: z.date().nullable(),
  hasPassword: z.boolean(),
  numSessions: z.int(),
  numTokens: z.int(),
});
export type PersonRow = z.infer<typeof PersonRow>;

export async function listPeople({ pool }: Database): Promise<PersonRow[]> {
  return readRows(pool, PersonRow, {
    sql: `SELECT id, name, role, created_at AS "createdAt", last_seen_at AS "lastSeenAt", password IS NOT NULL AS "hasPassword",
        (SELECT count(*)::int FROM session WHERE person_id = person.id) AS "numSessions",
        (SELECT count(*)::int FROM api_token WHERE person_id = person.id AND revoked_at IS NULL
          AND coalesce(expires_at > now(), true)) AS "numTokens"
      FROM person ORDER BY name_key`,
  });
}

/** True if the installation has users besides its owner; its sign-in page then asks for a name. */
export async function hasPeople({ prisma }: Database): Promise<boolean> {
  return (await prisma.person.findFirst({ select: { id: true } })) !== null;
}

export async function readPerson({ prisma }: Database, name: string): Promise<Person | undefined> {
  const person = await prisma.person.findUnique({ where: { nameKey: toNameKey(name) } });
  return person ? Person.parse(person) : undefined;
}

export async function findPerson(database: Database, name: string): Promise<Person> {
  const person = await readPerson(database, name);
  if (!person) throw new AppError("not_found", `there is nobody named "${name}" here`);
  return person;
}

/** Minimum time in ms between two updates of a user's last visit. */
const seenGrainMs = 5 * 60_000;

/** User whom an authenticating proxy names, and the role that the user gets at the first visit. */
type Proxied = {
  name: string;
  role: Role;
  /** Name as earlier versions of the studio decoded it from the proxy's header: each byte as one character. */
  formerName: string;
};

/** Finds the user whom a proxy names, or creates the user. Throws `conflict` if removed or resembling another. */
export async function findOrAddPerson(
  { prisma }: Database,
  { name, role, formerName }: Proxied,
  now: Date,
): Promise<Person> {
  const nameKey = toNameKey(name);
  const known = await prisma.person.findUnique({ where: { nameKey } });
  if (known && now.getTime() - (known.lastSeenAt?.getTime() ?? 0) < seenGrainMs) return Person.parse(known);
  if (!known) {
    const { count } = await prisma.person.updateMany({
      where: { nameKey: toNameKey(formerName) },
      data: { name, nameKey },
    });
    if (count === 0) await refuseNewcomer(prisma, name);
  }
  // If a user's first two requests arrive at once, the second finds the user that the first created.
  const person = await prisma.person.upsert({
    where: { nameKey },
    create: { name, nameKey, role, lastSeenAt: now },
    update: { lastSeenAt: now },
  });
  return Person.parse(person);
}

type People = Pick<Database["prisma"], "person" | "removedPerson">;

async function refuseNewcomer(prisma: People, name: string): Promise<void> {
  const removed = await prisma.removedPerson.findUnique({ where: { nameKey: toNameKey(name) } });
  if (removed) {
    const words = `"${name}" was removed here on ${removed.removedAt.toISOString().slice(0, 10)}`;
    throw new AppError(
      "conflict",
      `${words}: an administrator can restore the person with npx arlarena people restore`,
    );
  }
  const parsed = NewPersonName.safeParse(name);
  if (!parsed.success) throw new AppError("conflict", parsed.error.issues[0]?.message ?? "this name is refused");
  await refuseLookAlike(prisma, name);
}

/** Throws `conflict` if an existing user name looks the same although it consists of other characters. */
export async function refuseLookAlike(prisma: Pick<People, "person">, name: string): Promise<void> {
  const people = await prisma.person.findMany({ select: { name: true } });
  const other = people.find((one) => toLooks(one.name) === toLooks(name) && toNameKey(one.name) !== toNameKey(name));
  if (!other) return;
  throw new AppError(
    "conflict",
    `"${name}" looks like "${other.name}", who already has an account: choose another name`,
  );
}

/** Readmits a removed user whom a proxy names. Throws `not_found`. */
export async function restorePerson({ prisma }: Database, name: string): Promise<void> {
  const { count } = await prisma.removedPerson.deleteMany({ where: { nameKey: toNameKey(name) } });
  if (count === 0) throw new AppError("not_found", `nobody named "${name}" was removed here`);
}

/** Finds the user with this name and password; undefined if there is none. Both results take equally long. */
export async function checkPassword(
  { prisma }: Database,
  { name, password }: { name: string; password: string },
): Promise<Person | undefined> {
  const person = await prisma.person.findUnique({ where: { nameKey: toNameKey(name) } });
  return (await isPassword(password, person?.password ?? null)) ? Person.parse(person) : undefined;
}

export async function setPassword({ prisma }: Database, personId: number, password: string): Promise<void> {
  const sealed = await sealPassword(password);
  await prisma.$transaction([
    prisma.person.update({ where: { id: personId }, data: { password: sealed } }),
    prisma.session.deleteMany({ where: { personId } }),
  ]);
}

/** Changes a user's role. Throws `conflict` if no administrator would remain. */
export async function setRole({ pool }: Database, { personId, role }: { personId: number; role: Role }): Promise<void> {
  await inTransaction(pool, async (client) => {
    await refuseLastAdministrator(client, {
      personId,
      what: `be ${role === "viewer" ? "a" : "an"} ${role}`,
      isLeft: role === "administrator",
    });
    await client.query("UPDATE person SET role = $2 WHERE id = $1", [personId, role]);
  });
}

/** Removes a user; changes keep the name, and no proxy restores it. Throws `conflict` for the last administrator. */
export async function removePerson({ pool }: Database, personId: number): Promise<void> {
  await inTransaction(pool, async (client) => {
    await refuseLastAdministrator(client, { personId, what: "be removed", isLeft: false });
    await client.query(
      `WITH gone AS (DELETE FROM person WHERE id = $1 RETURNING name_key)
       INSERT INTO removed_person (name_key) SELECT name_key FROM gone ON CONFLICT (name_key) DO UPDATE SET removed_at = now()`,
      [personId],
    );
  });
}

type LastCheck = {
  personId: number;
  what: string;
  /** True if the user remains an administrator after the change. */
  isLeft: boolean;
};

/** Throws if no administrator would remain. A concurrent change waits until this transaction has ended. */
async function refuseLastAdministrator(client: PoolClient, { personId, what, isLeft }: LastCheck): Promise<void> {
  const people = await readRows(client, Person, { sql: "SELECT id, name, role FROM person ORDER BY id FOR UPDATE" });
  const person = people.find(({ id }) => id === personId);
  if (!person) throw new AppError("not_found", `there is no person ${personId}`);
  const others = people.filter(({ id, role }) => role === "administrator" && id !== personId);
  if (person.role !== "administrator" || isLeft || others.length > 0) return;
  throw new AppError("conflict", `${person.name} is the last administrator and cannot ${what}: make another one first`);
}
