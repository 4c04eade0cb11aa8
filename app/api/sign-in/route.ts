import { isSameOrigin } from "#server/api/origin.ts";
import { checkPassword, readPerson } from "#server/db/people/people.ts";
import { redeemSignInToken } from "#server/db/people/signInTokens.ts";
import { refuseUnstorable } from "#packages/base";
import { localPath } from "#app/_trpc/localPath.ts";
import { makeRoute, readForm } from "#app/_trpc/route.server.ts";
import { services } from "#app/_trpc/services.server.ts";
import { serveRequester } from "#server/config/requester.ts";
import {
  beginSession,
  noteWrongPassword,
  refuseGuess,
  refusePassword,
  requesterOfSignIn,
  seeOther,
} from "#app/_trpc/signIn.server.ts";

/** Exchanges a token or a password for a session. It is a POST, because link previews would consume the token. */
export const POST = makeRoute(async (request: Request) => {
  if (!isSameOrigin(request.headers))
    return new Response("This form was not sent from a page of this studio\n", { status: 403 });
  const form = await readForm(request);
  refuseUnstorable(Object.fromEntries(form));
  const next = localPath(form.get("next") ?? "");
  const name = form.get("name");
  const entered =
    name === null
      ? await enterByToken(request.headers, form.get("token") ?? "")
      : await enterByName(request.headers, { name, password: form.get("password") ?? "" });
  if (entered instanceof Response) return entered;
  if (entered.kind === "ok") return beginSession(request, entered.personId, next);
  return seeOther(`/sign-in?problem=${entered.kind}&next=${encodeURIComponent(next)}`);
});

async function enterByToken(headers: Headers, given: string) {
  // The terminal prints the token inside a link, so the whole link may be pasted.
  const text = given.trim();
  const token = (URL.canParse(text) && new URL(text).searchParams.get("token")) || text;
  const redeemed = await redeemSignInToken(services().database, token, new Date());
  return (redeemed.kind === "unknown" ? refuseGuess(headers) : undefined) ?? redeemed;
}

async function enterByName(headers: Headers, given: { name: string; password: string }) {
  const { database } = services();
  const named = await readPerson(database, given.name);
  const refused = refusePassword(headers, named?.id);
  if (refused) return refused;
  const person = await serveRequester(requesterOfSignIn(headers), () => checkPassword(database, given));
  if (person) return { kind: "ok", personId: person.id } as const;
  await noteWrongPassword(headers, named);
  return { kind: "password" } as const;
}
