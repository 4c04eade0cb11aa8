"use client";
import type { ComponentProps } from "react";
import type { Access } from "#server/domain/people/access.ts";
import { Button } from "./Button.tsx";
import { useRefusal } from "./refusals.tsx";

type Props = ComponentProps<typeof Button> & {
  /** Permission that the button's action requires; if undefined, `change`, which editors have. */
  needs?: Access;
};

/** A button that changes data; disabled, with the server's reason as title, for people without permission. */
export function ActionButton({ needs = "change", disabled, title, ...rest }: Props) {
  const refusal = useRefusal(needs);
  return <Button disabled={disabled || refusal !== undefined} title={refusal ?? title} {...rest} />;
}
