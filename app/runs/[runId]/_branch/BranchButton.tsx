import { useState } from "react";
import dynamic from "next/dynamic";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import type { RunDetail } from "#server/db/runs/runs.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";

// The form reads the schemas of all settings, which are large.
const BranchDialog = dynamic(() => import("./BranchDialog.tsx").then((module) => module.BranchDialog), { ssr: false });

/** Opens the form for a sweep of branches, which continue this run with changed settings. */
export function BranchButton({ run }: { run: RunDetail }) {
  const [isOpen, setIsOpen] = useState(false);
  const { spec } = run;
  if (isImported(spec)) return null;
  return (
    <>
      <ActionButton onClick={() => setIsOpen(true)}>
        <Icon name="branch" /> Branch
      </ActionButton>
      {isOpen && <BranchDialog run={{ ...run, spec }} onClose={() => setIsOpen(false)} />}
    </>
  );
}
