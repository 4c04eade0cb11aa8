"use client";
import type { ComponentProps } from "react";
import type { Access } from "#server/domain/people/access.ts";
import { Button } from "./Button.tsx";
import { useRefusal } from "./refusals.tsx";

type Props = ComponentProps<typeof Button> & {
  /** The kind of procedure that the button calls; `change`, which editors may, where it is absent. */
  needs?: Access;
};

/** A button that changes something: disabled for people who may not, with the server's own sentence as its title. */
export function ActionButton({ needs = "change", disabled, title, ...rest }: Props) {
  const refusal = useRefusal(needs);
  return <Button disabled={disabled || refusal !== undefined} title={refusal ?? title} {...rest} />;
}
