import { isSameOrigin } from "#server/api/origin.ts";
import { acceptInvitation, readInvitation } from "#server/db/people/invitations.ts";
import { noteChange } from "#server/db/people/changes.ts";
import { AppError, refuseUnstorable } from "#packages/base";
import { isOfName, NewPassword } from "#server/domain/people/newPassword.ts";
import { NewPersonName } from "#server/domain/people/personName.ts";
import { makeRoute, readForm } from "#app/_trpc/route.server.ts";
import { services } from "#app/_trpc/services.server.ts";
import { beginSession, refuseGuess, seeOther } from "#app/_trpc/signIn.server.ts";

export const POST = makeRoute(async (request: Request) => {
  if (!isSameOrigin(request.headers))
    return new Response("This form was not sent from a page of this studio\n", { status: 403 });
  const form = Object.fromEntries(await readForm(request));
  refuseUnstorable(form);
  const { token: text = "" } = form;
  const [name, password] = [NewPersonName.safeParse(form["name"]), NewPassword.safeParse(form["password"])];
  const { database } = services();
  const invitation = await readInvitation(database, text, new Date());
  const refused = invitation.kind === "unknown" ? refuseGuess(request.headers) : undefined;
  if (refused) return refused;
  const back = (problem: string) => seeOther(`/invitation?${new URLSearchParams({ token: text, problem })}`);
  if (!name.success) return back(name.error.issues[0]?.message ?? "name");
  if (!password.success) return back(password.error.issues[0]?.message ?? "password");
  if (isOfName(password.data, name.data)) return back("the password must not consist of the name: choose another");
  try {
    const accepted = { text, name: name.data, password: password.data, now: new Date() };
    const personId = await acceptInvitation(database, accepted);
    await noteChange(database.pool, { who: name.data, action: "people.join", subject: "", problem: null });
    return await beginSession(request, personId, "/sweeps");
  } catch (error) {
    if (error instanceof AppError && error.code === "conflict") return back(error.message);
    throw error;
  }
});
