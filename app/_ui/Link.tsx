"use client";
import NextLink from "next/link";
import type { ComponentProps } from "react";
import { buttonClasses } from "./Button.tsx";
import { carrySelection } from "./selection.ts";
import { useSelection } from "./useSelection.ts";

type Props = Omit<ComponentProps<typeof NextLink>, "href"> & { href: string };

/** A link to a page of the studio, with the sweeps of the current page added to its URL. */
export function Link({ href, ...rest }: Props) {
  return <NextLink {...rest} href={carrySelection(href, useSelection())} />;
}

/** A link that looks like a button. */
export function ButtonLink({ kind = "plain", ...rest }: Props & { kind?: "plain" | "primary" }) {
  return <Link className={buttonClasses(kind)} {...rest} />;
}
