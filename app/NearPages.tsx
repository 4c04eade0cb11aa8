"use client";
import { useQuery } from "@tanstack/react-query";
import { usePathname } from "next/navigation";
import { listedPages, subjectOf, sweepPage } from "#server/domain/pages.ts";
import { closeMatches } from "#server/domain/plan/sweep/closeMatches.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Link } from "#app/_ui/Link.tsx";

/**
 * Returns the entries whose ids resemble the wanted one, nearest first, then those that it names: an id ends with five
 * random characters, which nobody types.
 * @testing
 */
export function findNear<Item extends { word: string }>(wanted: string, known: readonly Item[]): Item[] {
  const toName = (word: string) => word.replace(/-[a-z0-9]{5}$/, "");
  const words = known.map(({ word }) => word);
  const near = [...words.filter((word) => word === wanted), ...closeMatches(wanted, words)];
  const names = new Set([wanted, ...closeMatches(wanted, words.map(toName))]);
  const named = words.filter((word) => names.has(toName(word)));
  return [...new Set([...near, ...named])].flatMap((word) => known.find((one) => one.word === word) ?? []).slice(0, 5);
}

/** Sweeps or pages whose addresses resemble the one that was not found. */
export function NearPages() {
  const path = usePathname();
  const subject = subjectOf(path);
  const { data: sweeps = [] } = useQuery({ ...useTrpc().sweep.list.queryOptions(), enabled: subject !== undefined });
  // The id of a run begins with that of its sweep.
  const wanted = subject?.id.replace(/-c\d+-s\d+$/, "") ?? path;
  const known = subject
    ? sweeps.map(({ id, name }) => ({ word: id, title: name, path: sweepPage(id) }))
    : listedPages.map(({ path, title }) => ({ word: path, title, path }));
  const found = findNear(wanted, known);
  return (
    <>
      <p className="wrap-anywhere">
        {subject
          ? `There is no ${subject.kind} ${decodeURIComponent(subject.id)}. It may have been deleted, or the address has a typing error.`
          : `There is no page ${path}.`}
      </p>
      {found.length > 0 && <Similar found={found} />}
    </>
  );
}

function Similar({ found }: { found: readonly { title: string; path: string }[] }) {
  return (
    <p className="mt-2">
      Similar:{" "}
      {found.map(({ title, path }, i) => (
        <span key={path}>
          {i > 0 && " · "}
          <Link href={path} className="text-accent underline">
            {title}
          </Link>
        </span>
      ))}
    </p>
  );
}
