import type { Metadata } from "next";
import { headers } from "next/headers";
import { AppError } from "#packages/base";
import { useShareLink as openShareLink } from "#server/db/publish/links.ts";
import { Logo } from "#app/_components/header/Header.tsx";
import { PageHead } from "#app/_components/PageHead.tsx";
import { ReportHtml } from "#app/_components/ReportHtml.tsx";
import { isKnown } from "#app/_trpc/caller.server.ts";
import { services } from "#app/_trpc/services.server.ts";
import { hasLink } from "#app/_trpc/session.server.ts";
import { EmptyState } from "#app/_ui/Notice.tsx";

export const metadata: Metadata = { title: "Shared", robots: { index: false, follow: false } };

type Props = { params: Promise<{ linkId: string }> };

/** Page of a shared link, rendered completely on the server: the reader's browser needs no further request. */
export default async function SharedPage({ params }: Props) {
  const { linkId } = await params;
  const asked = await headers();
  const isReader = hasLink(asked, linkId) || (/^\d{1,9}$/.test(linkId) && (await isKnown(asked)));
  const shown = isReader ? await show(Number(linkId)) : undefined;
  if (!shown) {
    return (
      <EmptyState title="This link is no longer valid">
        The link has expired, or its content was deleted. Ask the sender for a new link.
      </EmptyState>
    );
  }
  return (
    <>
      <p className="mb-4 flex items-center gap-2 text-sm text-muted">
        <Logo /> ARLArena Studio, read-only
      </p>
      <PageHead title={shown.title}>{`As of ${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC.`}</PageHead>
      <ReportHtml html={shown.html} />
    </>
  );
}

async function show(linkId: number) {
  const { database, analyst } = services();
  const shared = await openShareLink(database, linkId, new Date());
  try {
    return shared && (await analyst.ask("shared", { shared }));
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return undefined;
    throw error;
  }
}
