"use client";
import NextLink from "next/link";
import type { ComponentProps } from "react";
import { carrySelection } from "./selection.ts";
import { useSelection } from "./useSelection.ts";

type Props = Omit<ComponentProps<typeof NextLink>, "href"> & { href: string };

/**
 * A link to a page of the studio. The sweeps of the current page are added to its URL, so that the next page shows
 * them too.
 */
export function Link({ href, ...rest }: Props) {
  return <NextLink {...rest} href={carrySelection(href, useSelection())} />;
}
