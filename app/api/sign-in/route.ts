import { isSameOrigin } from "#server/api/origin.ts";
import { checkPassword } from "#server/db/people.ts";
import { redeemSignInToken } from "#server/db/signInTokens.ts";
import { toNameKey } from "#server/domain/people/personName.ts";
import { refuseUnstorable } from "#server/domain/storable.ts";
import { localPath } from "#app/_trpc/localPath.ts";
import { readForm } from "#app/_trpc/readForm.server.ts";
import { makeRoute } from "#app/_trpc/route.server.ts";
import { services } from "#app/_trpc/services.server.ts";
import { beginSession, refuseTries, refuseTriesOfName, seeOther } from "#app/_trpc/signIn.server.ts";

/** Spends the one-time token, or checks name and password, for a session cookie. A form post, so that link previews cannot spend it. */
export const POST = makeRoute(async (request: Request) => {
  if (!isSameOrigin(request.headers)) return new Response("This form is not one of our own pages\n", { status: 403 });
  const refusedEarly = refuseTries(request.headers);
  if (refusedEarly) return refusedEarly;
  const form = await readForm(request);
  refuseUnstorable(Object.fromEntries(form));
  const next = localPath(form.get("next") ?? "");
  const name = form.get("name");
  const entered =
    name === null ? await enterByToken(form.get("token") ?? "") : await enterByName(name, form.get("password") ?? "");
  if (entered instanceof Response) return entered;
  if (entered.kind === "ok") return beginSession(request, entered.personId, next);
  return seeOther(`/sign-in?problem=${entered.kind}&next=${encodeURIComponent(next)}`);
});

function enterByToken(token: string) {
  return redeemSignInToken(services().database, token.trim(), new Date());
}

async function enterByName(name: string, password: string) {
  const refused = refuseTriesOfName(toNameKey(name));
  if (refused) return refused;
  const person = await checkPassword(services().database, { name, password });
  return person ? ({ kind: "ok", personId: person.id } as const) : ({ kind: "password" } as const);
}
