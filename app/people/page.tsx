import { pages } from "#server/domain/pages.ts";
import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { makePrefetch } from "#app/_trpc/prefetch.server.ts";
import { minPasswordCharacters } from "#server/domain/people/newPassword.ts";
import { PeopleView } from "./PeopleView.tsx";

export const metadata: Metadata = { title: "People" };

export default async function PeoplePage() {
  const { trpc, queryClient, state } = await makePrefetch(pages.people);
  const [me] = await Promise.all([
    queryClient.fetchQuery(trpc.people.me.queryOptions()),
    queryClient.fetchQuery(trpc.people.list.queryOptions()),
  ]);
  if (me.role === "administrator") {
    await Promise.all([
      queryClient.fetchQuery(trpc.people.guesses.queryOptions()),
      queryClient.fetchQuery(trpc.people.invitations.queryOptions()),
    ]);
  }
  return (
    <HydrationBoundary state={state()}>
      <PeopleView minCharacters={minPasswordCharacters} />
    </HydrationBoundary>
  );
}
