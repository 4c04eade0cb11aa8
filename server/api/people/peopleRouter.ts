import { z } from "zod";
import { createApiToken, listApiTokens, revokeApiTokens } from "#server/db/people/apiTokens.ts";
import { readGuesses } from "#server/db/people/changes.ts";
import * as invitations from "#server/db/people/invitations.ts";
import * as people from "#server/db/people/people.ts";
import { accesses, isAtLeast, Role, Scope } from "#server/domain/people/access.ts";
import { isOfName, NewPassword } from "#server/domain/people/newPassword.ts";
import { TokenName } from "#server/domain/people/personName.ts";
import { AppError } from "#packages/base";
import { type Caller, makeRateLimit, nameCaller, personOf, roleOf } from "./caller.ts";
import { administering, deciding, router, viewing } from "../trpc.ts";

const dayMs = 24 * 3600 * 1000;
const Id = z.int().min(1).max(2_147_483_647);
const OfToken = z.strictObject({ name: z.string().trim().min(1, "a token needs a name").max(100) });

/** Limits guesses of a user's password in a browser that the user left open. */
const tries = makeRateLimit({ most: 5, everyMs: 10_000, maxKeys: 10_000 });

export const peopleRouter = router({
  /** Present caller; without a name, the caller is the installation's owner. */
  me: viewing.query(({ ctx: { caller } }) => ({
    name: personOf(caller)?.name ?? null,
    role: caller.kind === "stranger" ? null : roleOf(caller),
  })),

  list: viewing.query(({ ctx }) => people.listPeople(ctx.database)),

  /** Names and addresses with many wrong passwords in the last 24 hours. */
  guesses: administering.query(({ ctx }) => readGuesses(ctx.database.pool)),

  invitations: administering.query(({ ctx }) => invitations.listInvitations(ctx.database, new Date())),

  /** Creates an invitation and returns, only once, the secret text of its URL. */
  invite: administering
    .input(
      z.strictObject({
        role: Role,
        note: z.string().trim().max(200).default(""),
        days: z.int().min(1).max(30).default(7),
      }),
    )
    .mutation(async ({ ctx, input: { role, note, days } }) => {
      const expiresAt = new Date(Date.now() + days * dayMs);
      const invitedBy = nameCaller(ctx.caller);
      return invitations.createInvitation(ctx.database, { role, note, invitedBy, expiresAt });
    }),

  takeBackInvitation: administering
    .input(z.strictObject({ id: Id }))
    .mutation(({ ctx, input }) => invitations.revokeInvitation(ctx.database, input.id, new Date())),

  setRole: administering
    .input(z.strictObject({ id: Id, role: Role }))
    .mutation(({ ctx, input }) => people.setRole(ctx.database, { personId: input.id, role: input.role })),

  remove: administering
    .input(z.strictObject({ id: Id }))
    .mutation(({ ctx, input }) => people.removePerson(ctx.database, input.id)),

  changePassword: deciding
    .input(z.strictObject({ current: z.string().max(200), next: NewPassword }))
    .mutation(async ({ ctx, input: { current, next } }) => {
      const { id, name } = requirePerson(ctx.caller);
      const waitMs = tries.take(String(id), Date.now());
      if (waitMs > 0) throw new AppError("too_many", `too many tries: try again in ${Math.ceil(waitMs / 1000)} s`);
      if (!(await people.checkPassword(ctx.database, { name, password: current }))) {
        throw new AppError("bad_input", "current: this is not your current password");
      }
      if (isOfName(next, name))
        throw new AppError("bad_input", "next: the password must not consist of the name: choose another");
      await people.setPassword(ctx.database, id, next);
    }),

  tokens: deciding.query(({ ctx }) => listApiTokens(ctx.database, personOf(ctx.caller)?.id ?? null)),

  /** Creates a token and returns its text, only once. */
  createToken: deciding
    .input(
      z.strictObject({
        name: TokenName,
        scopes: z.array(Scope).min(1).max(4),
        days: z.int().min(1).max(3650).optional(),
      }),
    )
    .mutation(async ({ ctx: { caller, database }, input: { name, scopes, days } }) => {
      refuseScopes(caller, scopes);
      const personId = personOf(caller)?.id;
      const expiresAt = endOfToken(caller, days);
      const text = await createApiToken(database, {
        name,
        scopes: [...new Set(scopes)],
        ...(expiresAt && { expiresAt }),
        ...(personId !== undefined && { personId }),
        ...(caller.kind === "token" && { madeBy: caller.tokenHash }),
      });
      return { text };
    }),

  revokeTokens: deciding.input(OfToken).mutation(async ({ ctx, input: { name } }) => ({
    numRevoked: await revokeApiTokens(ctx.database, { name, personId: personOf(ctx.caller)?.id ?? null }),
  })),

  /** Tokens of all people and of the installation. */
  allTokens: administering.query(({ ctx }) => listApiTokens(ctx.database)),

  revokeTokensOf: administering
    .input(OfToken.extend({ /** Owner of the token; null: the installation. */ personId: Id.nullable() }))
    .mutation(async ({ ctx, input }) => ({ numRevoked: await revokeApiTokens(ctx.database, input) })),
});

function requirePerson(caller: Caller) {
  const person = personOf(caller);
  if (person) return person;
  throw new AppError(
    "conflict",
    "the owner of the installation has no password and signs in with npx arlarena sign-in",
  );
}

/** Returns a new token's expiry; undefined: none. Throws if it is later than that of the token that creates it. */
function endOfToken(caller: Caller, days: number | undefined): Date | undefined {
  const asked = days === undefined ? undefined : new Date(Date.now() + days * dayMs);
  const latest = caller.kind === "token" ? (caller.expiresAt ?? undefined) : undefined;
  if (asked === undefined || latest === undefined || asked <= latest) return asked ?? latest;
  const end = latest.toISOString().slice(0, 16).replace("T", " ");
  throw new AppError("bad_input", `days: the new token must end by ${end} UTC, when the token that creates it ends`);
}

/** Throws if a token would have more permissions than its owner, or than the token that creates it. */
function refuseScopes(caller: Caller, scopes: readonly Scope[]): void {
  if (caller.kind === "stranger") return;
  const lacking = caller.kind === "token" ? scopes.filter((scope) => !caller.scopes.includes(scope)) : [];
  if (caller.kind === "token" && lacking.length > 0) {
    const has = `the token that creates this one has ${caller.scopes.join(", ")}`;
    throw new AppError("bad_input", `scopes: ${has} and cannot give ${lacking.join(", ")}`);
  }
  const role = roleOf(caller);
  for (const { role: needed, scope } of Object.values(accesses)) {
    // Every role has the scope "administer" for changes to its own account.
    if (scope === "administer" ? role === "administrator" : isAtLeast(role, needed)) continue;
    if (scopes.includes(scope))
      throw new AppError(
        "bad_input",
        `scopes: ${scope} is for the role ${needed === "viewer" ? "administrator" : needed}, yours is ${role}`,
      );
  }
}
