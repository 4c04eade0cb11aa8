import { sayStart } from "#server/config/startCommand.ts";
import type { Command } from "@commander-js/extra-typings";
import { AppError } from "#packages/base";
import type { Outcome, Performer, Studio } from "../command.ts";

export function addSignIn(program: Command, { performInStudio }: Performer): void {
  program
    .command("sign-in")
    .description("print a new address that signs in one browser once")
    .argument("[NAME]", "name of a person (default: the owner of the installation, who may do everything)")
    .action((name) => performInStudio((studio) => signIn(studio, name)));
}

/** Everyone who can read the state folder or the database's password may create a sign-in URL. */
export async function signIn({ database, address }: Studio, name?: string): Promise<Outcome> {
  if (address === undefined) {
    const problem = "no web app of this database runs on this machine's state folder, so its address is not known";
    throw new AppError("unavailable", `${problem}: run this where \`${sayStart()}\` runs`);
  }
  const { createSignInToken } = await import("#server/db/people/signInTokens.ts");
  const { findPerson } = await import("#server/db/people/people.ts");
  const person = name === undefined ? undefined : await findPerson(database, name);
  const link = `${address}/sign-in?token=${await createSignInToken(database, person?.id ?? null)}`;
  return { text: `${link}\n(signs in one browser, once, within 24 hours)`, json: { address: link }, exitCode: 0 };
}
