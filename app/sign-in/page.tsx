import { sayStart } from "#server/config/startCommand.ts";
import type { Metadata } from "next";
import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { Logo } from "#app/_components/header/Header.tsx";
import type { Caller } from "#server/api/people/caller.ts";
import { hasPeople } from "#server/db/people/people.ts";
import { readCaller } from "../_trpc/caller.server.ts";
import { services } from "../_trpc/services.server.ts";
import type { PageProps } from "../_ui/address.ts";
import { Notice } from "../_ui/Notice.tsx";
import { localPath } from "#app/_trpc/localPath.ts";
import { NameForm, SignInForm } from "./SignInForm.tsx";

export const metadata: Metadata = { title: "Sign in" };

const problems: Record<string, string> = {
  used: "This link has already been used: each link signs in one browser.",
  expired: "This link has expired: links are valid for a day.",
  unknown: "This link belongs to another installation, or part of the link is missing.",
  password: "Wrong name or password.",
};

export default async function SignInPage({ searchParams }: PageProps) {
  const { token, problem, next } = await searchParams;
  const after = localPath(typeof next === "string" ? next : "");
  const caller = await readCaller(await headers()).catch((): Caller => ({ kind: "stranger" }));
  if (caller.kind !== "stranger") redirect(after);
  const isForSeveral = await hasPeople(services().database).catch(() => false);
  const given = typeof token === "string" ? token : "";
  const message = (typeof problem === "string" ? problems[problem] : undefined) ?? caller.reason;
  return (
    <div className="mx-auto mt-[12vh] max-w-md rounded-lg border border-line bg-surface p-6">
      <h1 className="mb-4 flex items-center gap-2 text-xl font-semibold">
        <Logo /> ARLArena Studio
      </h1>
      {message && (
        <div className="mb-4">
          <Notice tone="bad">{message}</Notice>
        </div>
      )}
      {isForSeveral && given === "" ? (
        <NameForm next={after} />
      ) : (
        <>
          <SignInForm token={given} next={after} />
          <p className="mt-4 text-sm text-muted">
            <code>{sayStart()}</code> prints a sign-in link with a new token in the terminal. For another link without a
            restart, run <code>npx arlarena sign-in</code> on the studio’s server.
          </p>
        </>
      )}
    </div>
  );
}
