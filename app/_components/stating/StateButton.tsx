"use client";
import dynamic from "next/dynamic";
import { useState } from "react";
import { Button } from "#app/_ui/Button.tsx";

const StateDialog = dynamic(() => import("./StateDialog.tsx").then((module) => module.StateDialog), { ssr: false });

type Props = { scope: { sweepIds: string[] } | { runIds: string[] }; kind?: "primary" };

/** Button that opens the dialog in which the user states the method of imported runs. */
export function StateButton({ scope, kind }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button {...(kind && { kind })} onClick={() => setOpen(true)}>
        Set method
      </Button>
      {isOpen && <StateDialog scope={scope} onClose={() => setOpen(false)} />}
    </>
  );
}
