import { sayStart } from "#server/config/startCommand.ts";
import { Argument, type Command } from "@commander-js/extra-typings";
import { invitationPage } from "#server/domain/pages.ts";
import type { Database } from "#server/db/storage/client.ts";
import { AppError } from "#packages/base";
import { Role } from "#server/domain/people/access.ts";
import type { Outcome, Performer, Screen, Studio } from "../command.ts";
import { dayMs, formatDay, toDays } from "../options.ts";
import { toColumns } from "../views/columns.ts";

export function addPeople(program: Command, { performInStudio }: Performer): void {
  const people = program.command("people").description("list people and their roles; invite, change and remove them");
  people
    .command("list")
    .description("list people and open invitations")
    .action(() => performInStudio(({ database }, screen) => listPeople(database, screen)));
  people
    .command("invite")
    .description("print an address with which one person can join once, under a name of their choice")
    .addArgument(new Argument("[ROLE]", "what they may do").choices(Role.options).default("viewer" as const))
    .option("--for <WORDS>", "note for whom the invitation is, shown until it is used", "")
    .option("--days <N>", "days for which it is valid", toDays(30), 7)
    .action((role, { for: note, days }) => performInStudio((studio) => invite(studio, { role, note, days })));
  people
    .command("take-back")
    .description("withdraw an unused invitation")
    .argument("<ID>", "number of the invitation in the list")
    .action((id) => performInStudio(({ database }) => takeBack(database, id)));
  people
    .command("role")
    .description("change a person's role")
    .argument("<NAME>")
    .addArgument(new Argument("<ROLE>").choices(Role.options))
    .action((name, role) => performInStudio(({ database }) => changeRole(database, name, role)));
  people
    .command("remove")
    .description("remove a person with their sessions and tokens; their changes keep their name")
    .argument("<NAME>")
    .action((name) => performInStudio(({ database }) => remove(database, name)));
  people
    .command("restore")
    .description("let a removed person sign in through the proxy again, as if for the first time")
    .argument("<NAME>")
    .action((name) => performInStudio(({ database }) => restore(database, name)));
}

const columns = ["NAME", "ROLE", "LAST SEEN", "SESSIONS", "TOKENS"];
const openColumns = ["INVITATION", "ROLE", "FOR", "BY", "UNTIL"];

async function listPeople(database: Database, screen: Screen): Promise<Outcome> {
  const [people, { listInvitations }] = await Promise.all([
    import("#server/db/people/people.ts").then((module) => module.listPeople(database)),
    import("#server/db/people/invitations.ts"),
  ]);
  const invitations = await listInvitations(database, new Date());
  const rows = people.map(({ name, role, lastSeenAt, numSessions, numTokens }) =>
    [name, role, formatDay(lastSeenAt), numSessions, numTokens].map(String),
  );
  const open = invitations.map(({ id, role, note, invitedBy, expiresAt }) =>
    [id, role, note, invitedBy, formatDay(expiresAt)].map(String),
  );
  const parts = [
    rows.length > 0
      ? toColumns(columns, rows, screen)
      : "No people yet. Invite one: npx arlarena people invite administrator",
    ...(open.length > 0 ? [toColumns(openColumns, open, screen)] : []),
  ];
  return { text: parts.join("\n\n"), json: { people, invitations }, exitCode: 0 };
}

async function invite(
  { database, address }: Studio,
  { role, note, days }: { role: Role; note: string; days: number },
): Promise<Outcome> {
  if (address === undefined) {
    throw new AppError("unavailable", `no studio runs on this state folder: start it with \`${sayStart()}\``);
  }
  const { createInvitation } = await import("#server/db/people/invitations.ts");
  const expiresAt = new Date(Date.now() + days * dayMs);
  const made = await createInvitation(database, { role, note, invitedBy: "command line", expiresAt });
  const link = `${address}${invitationPage(made.text)}`;
  const text = `${link}\n(for one ${role}, until ${formatDay(expiresAt)}; the address is not shown again)`;
  return { text, json: { id: made.id, role, expiresAt, address: link }, exitCode: 0 };
}

async function takeBack(database: Database, id: string): Promise<Outcome> {
  if (!/^\d{1,9}$/.test(id)) throw new AppError("bad_input", `name the invitation by its number, not "${id}"`);
  const { revokeInvitation } = await import("#server/db/people/invitations.ts");
  await revokeInvitation(database, Number(id), new Date());
  return { text: `invitation ${id} is no longer valid`, json: { id: Number(id) }, exitCode: 0 };
}

async function changeRole(database: Database, name: string, role: Role): Promise<Outcome> {
  const people = await import("#server/db/people/people.ts");
  const person = await people.findPerson(database, name);
  await people.setRole(database, { personId: person.id, role });
  return { text: `${person.name}: ${role}`, json: { name: person.name, role }, exitCode: 0 };
}

async function remove(database: Database, name: string): Promise<Outcome> {
  const people = await import("#server/db/people/people.ts");
  const person = await people.findPerson(database, name);
  await people.removePerson(database, person.id);
  return { text: `${person.name} removed`, json: { name: person.name }, exitCode: 0 };
}

async function restore(database: Database, name: string): Promise<Outcome> {
  const { restorePerson } = await import("#server/db/people/people.ts");
  await restorePerson(database, name);
  return { text: `${name} may sign in again`, json: { name }, exitCode: 0 };
}
