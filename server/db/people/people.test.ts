import { afterAll, expect, test } from "vitest";
import { createApiToken, readApiToken, revokeApiTokens } from "./apiTokens.ts";
import {
  acceptInvitation,
  createInvitation,
  listInvitations,
  readInvitation,
  revokeInvitation,
} from "./invitations.ts";
import { checkPassword, findOrAddPerson, listPeople, removePerson, setPassword, setRole } from "./people.ts";
import { createSession, useSession } from "./sessions.ts";
import { makeTestDatabase } from "../testing/testDatabase.ts";
import type { Role } from "#server/domain/people/access.ts";

const database = await makeTestDatabase();
afterAll(() => database.close());

const now = new Date();
const inDays = (n: number) => new Date(now.getTime() + n * 24 * 3600 * 1000);
const password = "correct horse battery";

async function invite(role: Role) {
  return createInvitation(database, { role, note: "", invitedBy: "test", expiresAt: inDays(7) });
}

async function join(name: string, role: Role): Promise<number> {
  const { text } = await invite(role);
  return acceptInvitation(database, { text, name, password, now });
}

test("an invitation lets one person in, also when two come at once, and its text is stored nowhere", async () => {
  const { text } = await invite("editor");
  const both = await Promise.allSettled(
    ["Ada", "Grace"].map((name) => acceptInvitation(database, { text, name, password, now })),
  );
  expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  expect(await readInvitation(database, text, now)).toEqual({ kind: "used" });
  const { rows } = await database.pool.query<{ row: string }>("SELECT i::text AS row FROM invitation i");
  expect(rows.some(({ row }) => row.includes(text))).toBe(false);
  await database.prisma.person.deleteMany();
});

test("an invitation that expired, was taken back or never was lets nobody in", async () => {
  const [late, back] = [await invite("viewer"), await invite("viewer")];
  await revokeInvitation(database, back.id, now);
  expect(await readInvitation(database, late.text, inDays(8))).toEqual({ kind: "expired" });
  expect(await readInvitation(database, back.text, now)).toEqual({ kind: "revoked" });
  expect(await readInvitation(database, "guess", now)).toEqual({ kind: "unknown" });
  const accept = (text: string, at: Date) => acceptInvitation(database, { text, name: "Eve", password, now: at });
  await expect(accept(late.text, inDays(8))).rejects.toMatchObject({ code: "conflict" });
  await expect(accept(back.text, now)).rejects.toMatchObject({ code: "conflict" });
  await expect(accept("guess", now)).rejects.toMatchObject({ code: "conflict" });
  expect((await listInvitations(database, now)).map(({ id }) => id)).toEqual([late.id]);
  await expect(revokeInvitation(database, back.id, now)).rejects.toMatchObject({ code: "not_found" });
});

test("two people have two names, whatever their case, and the invitation stays good for another name", async () => {
  await join("Linus", "viewer");
  const { text } = await invite("viewer");
  const taken = acceptInvitation(database, { text, name: "LINUS", password, now });
  await expect(taken).rejects.toThrow('the name "LINUS" is already taken');
  expect(await readInvitation(database, text, now)).toMatchObject({ kind: "open" });
  await database.prisma.person.deleteMany();
});

test("the last administrator is neither removed nor demoted, also by two at once", async () => {
  const [a, b] = [await join("A", "administrator"), await join("B", "administrator")];
  const demoted = await Promise.allSettled([a, b].map((personId) => setRole(database, { personId, role: "viewer" })));
  expect(demoted.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  const [last] = (await listPeople(database)).filter(({ role }) => role === "administrator");
  const personId = last?.id ?? 0;
  const words = `${last?.name} is the last administrator and cannot`;
  await expect(removePerson(database, personId)).rejects.toThrow(`${words} be removed: make another one first`);
  await expect(setRole(database, { personId, role: "editor" })).rejects.toThrow(`${words} be an editor`);
  await setRole(database, { personId, role: "administrator" });
  await database.prisma.person.deleteMany();
});

test("who is removed loses sessions and tokens at once", async () => {
  const id = await join("Mallory", "editor");
  const session = await createSession(database, id, now);
  const token = await createApiToken(database, { name: "robot", scopes: ["write"], personId: id });
  expect(await useSession(database, session, now)).toEqual({ person: { id, name: "Mallory", role: "editor" } });
  expect(await readApiToken(database, token)).toMatchObject({ person: { name: "Mallory", role: "editor" } });
  await removePerson(database, id);
  expect(await useSession(database, session, now)).toBeUndefined();
  expect(await readApiToken(database, token)).toBeUndefined();
});

test("a password signs in its person, whatever the name's case, and nobody else; a new one ends the sessions", async () => {
  const id = await join("Ada", "viewer");
  const session = await createSession(database, id, now);
  expect(await checkPassword(database, { name: " ada ", password })).toMatchObject({ id });
  expect(await checkPassword(database, { name: "Ada", password: `${password}x` })).toBeUndefined();
  expect(await checkPassword(database, { name: "Nobody", password })).toBeUndefined();
  await setPassword(database, id, "another long one");
  expect(await useSession(database, session, now)).toBeUndefined();
  expect(await checkPassword(database, { name: "Ada", password })).toBeUndefined();
  expect(await checkPassword(database, { name: "Ada", password: "another long one" })).toMatchObject({ id });
});

test("a new name that looks like another one here is refused, and its invitation stays good", async () => {
  await join("Soso", "viewer");
  const { text } = await invite("viewer");
  const alike = acceptInvitation(database, { text, name: "Ѕоѕо", password, now });
  await expect(alike).rejects.toThrow('"Ѕоѕо" looks like "Soso", who already has an account: choose another name');
  expect(await readInvitation(database, text, now)).toMatchObject({ kind: "open" });
  await acceptInvitation(database, { text, name: "Зоя", password, now });
});

test("who was removed and is invited again comes in, also by a proxy", async () => {
  const id = await join("Eve", "viewer");
  await removePerson(database, id);
  const seen = { name: "Eve", formerName: "Eve", role: "administrator" } as const;
  await expect(findOrAddPerson(database, seen, now)).rejects.toThrow('"Eve" was removed here on ');
  await join("Eve", "viewer");
  expect(await findOrAddPerson(database, seen, now)).toMatchObject({ name: "Eve", role: "viewer" });
});

test("a token ends with the token that made it", async () => {
  const hash = async (text: string) => (await readApiToken(database, text))?.tokenHash ?? "";
  const first = await createApiToken(database, { name: "first", scopes: ["administer"] });
  const second = await createApiToken(database, { name: "second", scopes: ["read"], madeBy: await hash(first) });
  const third = await createApiToken(database, { name: "third", scopes: ["read"], madeBy: await hash(second) });
  const other = await createApiToken(database, { name: "other", scopes: ["read"] });
  expect(await revokeApiTokens(database, { name: "first" })).toBe(3);
  const left = await Promise.all([first, second, third, other].map((token) => readApiToken(database, token)));
  expect(left.map((token) => token?.name)).toEqual([undefined, undefined, undefined, "other"]);
});
