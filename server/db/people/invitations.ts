import { Prisma } from "../generated/client.ts";
import { sealPassword } from "#server/config/password.ts";
import { AppError } from "#packages/base";
import { toNameKey } from "#server/domain/people/personName.ts";
import { Role } from "#server/domain/people/access.ts";
import type { Database } from "../storage/client.ts";
import { refuseLookAlike } from "./people.ts";
import { hashOf, makeSecretText } from "./apiTokens.ts";

type Invited = { role: Role; note: string; invitedBy: string; expiresAt: Date };

/** Creates an invitation to the studio and returns the secret of its URL, which is valid once and not stored. */
export async function createInvitation({ prisma }: Database, invited: Invited): Promise<{ id: number; text: string }> {
  const text = makeSecretText();
  const { id } = await prisma.invitation.create({
    data: { ...invited, tokenHash: hashOf(text) },
    select: { id: true },
  });
  return { id, text };
}

export async function listInvitations({ prisma }: Database, now: Date) {
  return prisma.invitation.findMany({
    where: { usedAt: null, revokedAt: null, expiresAt: { gt: now } },
    select: { id: true, role: true, note: true, invitedBy: true, createdAt: true, expiresAt: true },
    orderBy: { id: "desc" },
  });
}

/** Revokes an invitation. Throws `not_found` if the invitation is unknown, used or already revoked. */
export async function revokeInvitation({ prisma }: Database, id: number, now: Date): Promise<void> {
  const { count } = await prisma.invitation.updateMany({
    where: { id, usedAt: null, revokedAt: null },
    data: { revokedAt: now },
  });
  if (count === 0) throw new AppError("not_found", `there is no open invitation ${id}`);
}

export type InvitationState = { kind: "open"; role: Role } | { kind: "used" | "expired" | "revoked" | "unknown" };

/** Reads the state of an invitation, and the role that it grants while it is open. */
export async function readInvitation({ prisma }: Database, text: string, now: Date): Promise<InvitationState> {
  const found = await prisma.invitation.findUnique({ where: { tokenHash: hashOf(text) } });
  if (!found) return { kind: "unknown" };
  if (found.revokedAt) return { kind: "revoked" };
  if (found.usedAt) return { kind: "used" };
  return found.expiresAt > now ? { kind: "open", role: Role.parse(found.role) } : { kind: "expired" };
}

type Accepted = { text: string; name: string; password: string; now: Date };

/** Creates the account under a name of the user's choice. If an invitation is used twice, one use succeeds. */
export async function acceptInvitation({ prisma }: Database, { text, name, password, now }: Accepted): Promise<number> {
  const sealed = await sealPassword(password);
  try {
    return await prisma.$transaction(async (within) => {
      const where = { tokenHash: hashOf(text), usedAt: null, revokedAt: null, expiresAt: { gt: now } };
      const { count } = await within.invitation.updateMany({ where, data: { usedAt: now } });
      if (count === 0) throw new AppError("conflict", "this invitation is no longer open");
      await refuseLookAlike(within, name);
      // An administrator created the invitation, so a removed user with this name is readmitted.
      await within.removedPerson.deleteMany({ where: { nameKey: toNameKey(name) } });
      const { role } = await within.invitation.findUniqueOrThrow({ where: { tokenHash: hashOf(text) } });
      const person = await within.person.create({ data: { name, nameKey: toNameKey(name), role, password: sealed } });
      return person.id;
    });
  } catch (error) {
    // The rollback of the transaction also undoes the use of the invitation, which stays valid for another name.
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === "P2002") {
      throw new AppError("conflict", `the name "${name}" is already taken: choose another name`);
    }
    throw error;
  }
}
