"use client";
import dynamic from "next/dynamic";
import { useState } from "react";
import type { Shared } from "#server/domain/share/shared.ts";
import { Button } from "#app/_ui/Button.tsx";

// Loaded when first asked for.
const ShareDialog = dynamic(() => import("./ShareDialog.tsx").then((module) => module.ShareDialog), { ssr: false });

/** Asks for a read-only link of what a page shows. */
export function ShareButton({ shared, what }: { shared: Shared; what: string }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button onClick={() => setAsking(true)}>Share</Button>
      {isAsking && <ShareDialog shared={shared} what={what} onClose={() => setAsking(false)} />}
    </>
  );
}
