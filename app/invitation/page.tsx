import type { Metadata } from "next";
import { readInvitation, type InvitationState } from "#server/db/people/invitations.ts";
import { minPasswordCharacters } from "#server/domain/people/newPassword.ts";
import { Logo } from "#app/_components/header/Header.tsx";
import { services } from "#app/_trpc/services.server.ts";
import type { PageProps } from "#app/_ui/address.ts";
import { Notice } from "#app/_ui/Notice.tsx";
import { JoinForm } from "./JoinForm.tsx";

export const metadata: Metadata = { title: "Invitation" };

const problems: Record<Exclude<InvitationState["kind"], "open">, string> = {
  used: "This invitation has already been used: each invitation works once. Sign in with the name that you chose.",
  expired: "This invitation has expired. Ask for another invitation.",
  revoked: "This invitation was withdrawn.",
  unknown: "This invitation belongs to another installation, or part of its address is missing.",
};

export default async function InvitationPage({ searchParams }: PageProps) {
  const { token, problem } = await searchParams;
  const text = typeof token === "string" ? token : "";
  const invitation = await readInvitation(services().database, text, new Date());
  return (
    <div className="mx-auto mt-[12vh] max-w-md rounded-lg border border-line bg-surface p-6">
      <h1 className="mb-4 flex items-center gap-2 text-xl font-semibold">
        <Logo /> Join ARLArena Studio
      </h1>
      {invitation.kind !== "open" && <Notice tone="bad">{problems[invitation.kind]}</Notice>}
      {invitation.kind === "open" && typeof problem === "string" && (
        <div className="mb-4">
          <Notice tone="bad">{problem.slice(0, 200)}</Notice>
        </div>
      )}
      {invitation.kind === "open" && (
        <JoinForm token={text} role={invitation.role} minCharacters={minPasswordCharacters} />
      )}
    </div>
  );
}
