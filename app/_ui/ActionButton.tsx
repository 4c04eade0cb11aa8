"use client";
import type { ComponentProps } from "react";
import type { Access } from "#server/domain/people/access.ts";
import { Button } from "./Button.tsx";
import { useRefusal } from "./refusals.tsx";

type Props = ComponentProps<typeof Button> & {
  /** Permission that the button's action needs; `change` (of editors) if undefined. */
  needs?: Access;
};

/** A button that changes something. It is disabled for people without permission; its title is the server's reason. */
export function ActionButton({ needs = "change", disabled, title, ...rest }: Props) {
  const refusal = useRefusal(needs);
  return <Button disabled={disabled || refusal !== undefined} title={refusal ?? title} {...rest} />;
}
