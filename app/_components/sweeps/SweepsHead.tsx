"use client";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Fragment, type ReactNode } from "react";
import { sweepPage } from "#server/domain/pages.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import type { AddressPart } from "#app/_ui/address.ts";
import { Link } from "#app/_ui/Link.tsx";
import { useAddress } from "#app/_ui/useAddress.ts";
import { PageHead } from "../PageHead.tsx";
import { SweepChooser } from "./SweepChooser.tsx";

type Props = {
  title: string;
  sweepIds: readonly string[];
  /** The sweeps in the page's address. */
  part: AddressPart<readonly string[]>;
  actions?: ReactNode;
};

/** Head of a page about chosen sweeps: their names, and the chooser. */
export function SweepsHead({ title, sweepIds, part, actions }: Props) {
  const [, setSweeps] = useAddress(part);
  const { data: sweeps } = useSuspenseQuery(useTrpc().sweep.list.queryOptions());
  const chosen = sweeps.filter(({ id }) => sweepIds.includes(id));
  return (
    <PageHead
      title={title}
      actions={
        <>
          <SweepChooser sweeps={sweeps} chosen={sweepIds} onChange={setSweeps} />
          {actions}
        </>
      }
    >
      {chosen.map(({ id, name }, i) => (
        <Fragment key={id}>
          {i > 0 && ", "}
          <Link href={sweepPage(id)} className="hover:underline">
            {name}
          </Link>
        </Fragment>
      ))}
    </PageHead>
  );
}
