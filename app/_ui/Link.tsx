"use client";
import NextLink from "next/link";
import type { ComponentProps } from "react";
import { carrySelection } from "./selection.ts";
import { useSelection } from "./useSelection.ts";

type Props = Omit<ComponentProps<typeof NextLink>, "href"> & { href: string };

/** A link to a page of the studio, with the sweeps of the current page added to its URL. */
export function Link({ href, ...rest }: Props) {
  return <NextLink {...rest} href={carrySelection(href, useSelection())} />;
}
