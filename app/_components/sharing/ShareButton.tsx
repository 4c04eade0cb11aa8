"use client";
import dynamic from "next/dynamic";
import { useState } from "react";
import type { Shared } from "#server/domain/publish/links.ts";
import { Button } from "#app/_ui/Button.tsx";

// Dynamic import: the code is loaded when the reader first opens the dialog.
const ShareDialog = dynamic(() => import("./ShareDialog.tsx").then((module) => module.ShareDialog), { ssr: false });

export function ShareButton({ shared, what }: { shared: Shared; what: string }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button onClick={() => setAsking(true)}>Share</Button>
      {isAsking && <ShareDialog shared={shared} what={what} onClose={() => setAsking(false)} />}
    </>
  );
}
