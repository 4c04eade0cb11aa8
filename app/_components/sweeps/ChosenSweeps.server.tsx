import { HydrationBoundary } from "@tanstack/react-query";
import { redirect } from "next/navigation";
import type { ReactNode } from "react";
import { pages } from "#server/domain/pages.ts";
import { makePrefetch, type Prefetch } from "#app/_trpc/prefetch.server.ts";
import { toAddress, toSearchParams, type PageQuery } from "#app/_ui/address.ts";
import { buttonClasses } from "#app/_ui/Button.tsx";
import { EmptyState, Notice } from "#app/_ui/Notice.tsx";
import { Link } from "#app/_ui/Link.tsx";
import type { SweepSummary } from "#server/db/plan/sweeps.ts";
import type { ShippedId } from "#server/domain/publish/shippedStudies.ts";
import { OpenStudy } from "../OpenStudy.tsx";
import { PageHead } from "../PageHead.tsx";
import { chooseSweeps } from "./chooseSweeps.ts";

type Props = {
  path: string;
  query: PageQuery;
  title: string;
  empty: string;
  /** Recorded study that shows what the page is for. */
  study?: ShippedId;
  /** Returns the ids of the sweeps that are shown if the page's URL contains no sweep. */
  choose?: (prefetch: Prefetch, sweeps: readonly SweepSummary[]) => Promise<readonly string[]>;
  prefetch?: (prefetch: Prefetch, sweepIds: string[]) => Promise<unknown>;
  children: (sweepIds: string[]) => ReactNode;
};

/** Renders a page about the sweeps in its URL. Without any, redirects to chosen sweeps or the newest trained one. */
export async function ChosenSweeps({ path, query, title, empty, study, choose, prefetch, children }: Props) {
  const made = await makePrefetch(toAddress(path, query));
  const sweeps = await made.queryClient.fetchQuery(made.trpc.sweep.list.queryOptions());
  const chosen = query["sweep"] === undefined ? await choose?.(made, sweeps) : undefined;
  const { sweepIds, missing } = chooseSweeps(query["sweep"] ?? [...(chosen ?? [])], sweeps);
  nameSweeps(path, query, sweepIds);
  const gone = missing.length > 0 && <MissingSweeps missing={missing} path={path} sweeps={sweeps} />;
  if (sweepIds.length === 0) {
    return (
      <>
        <PageHead title={title} />
        {gone}
        {sweeps.length === 0 && (
          <EmptyState
            title="No sweep yet"
            actions={
              <>
                {study && <OpenStudy study={study} />}
                <Link href={pages.sweeps} className={buttonClasses(study ? "plain" : "primary")}>
                  All sweeps
                </Link>
              </>
            }
          >
            {empty}
          </EmptyState>
        )}
      </>
    );
  }
  await prefetch?.(made, sweepIds);
  return (
    <HydrationBoundary state={made.state()}>
      {gone}
      {children(sweepIds)}
    </HydrationBoundary>
  );
}

/** Redirects a URL without sweeps to one with the chosen ids, so that a reload shows the same sweeps. */
function nameSweeps(path: string, query: PageQuery, sweepIds: readonly string[]): void {
  const asked = toSearchParams(query);
  if (sweepIds.length === 0 || asked.getAll("sweep").some((id) => id !== "")) return;
  asked.delete("sweep");
  for (const id of sweepIds) asked.append("sweep", id);
  redirect(`${path}?${asked.toString()}`);
}

type MissingProps = {
  missing: readonly string[];
  path: string;
  /** Existing sweeps that the page could show instead, newest first. */
  sweeps: readonly { id: string; name: string }[];
};

const maxNamed = 10;
const maxOffered = 5;

function MissingSweeps({ missing, path, sweeps }: MissingProps) {
  const named = missing.slice(0, maxNamed).map((id) => `“${id.length > 60 ? `${id.slice(0, 60)}…` : id}”`);
  const numMore = missing.length - named.length;
  return (
    <div className="mb-4">
      <Notice tone="warn">
        <p className="break-words">
          {missing.length === 1 ? "This sweep does not exist" : "These sweeps do not exist"}: {named.join(", ")}
          {numMore > 0 && ` and ${numMore} more`}. Either the link is wrong, or somebody deleted the data.
        </p>
        <p className="mt-1">
          <Link href={pages.sweeps} className="underline">
            All sweeps
          </Link>
          {sweeps.slice(0, maxOffered).map(({ id, name }) => (
            <span key={id}>
              {" · "}
              <Link href={`${path}?sweep=${encodeURIComponent(id)}`} className="underline">
                {name}
              </Link>
            </span>
          ))}
        </p>
      </Notice>
    </div>
  );
}
