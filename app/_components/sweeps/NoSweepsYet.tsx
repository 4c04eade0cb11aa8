import { Link } from "#app/_ui/Link.tsx";
import type { ReactNode } from "react";
import { buttonClasses } from "#app/_ui/Button.tsx";
import { EmptyState } from "#app/_ui/EmptyState.tsx";
import { PageHead } from "../PageHead.tsx";

/** A page about sweeps as long as there is none: what will be there, and the way to the first. */
export function NoSweepsYet({ page, title, children }: { page: string; title: string; children: ReactNode }) {
  return (
    <>
      <PageHead title={page} />
      <EmptyState
        title={title}
        actions={
          <Link href="/sweeps" className={buttonClasses("primary")}>
            To the sweeps
          </Link>
        }
      >
        {children}
      </EmptyState>
    </>
  );
}
