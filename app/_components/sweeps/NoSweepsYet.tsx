import { Link } from "#app/_ui/Link.tsx";
import type { ReactNode } from "react";
import { buttonClasses } from "#app/_ui/Button.tsx";
import { EmptyState } from "#app/_ui/EmptyState.tsx";
import { PageHead } from "../PageHead.tsx";

/** Empty state of a page about sweeps: explains the page and links to the builder. */
export function NoSweepsYet({ page, title, children }: { page: string; title: string; children: ReactNode }) {
  return (
    <>
      <PageHead title={page} />
      <EmptyState
        title={title}
        actions={
          <Link href="/sweeps" className={buttonClasses("primary")}>
            All sweeps
          </Link>
        }
      >
        {children}
      </EmptyState>
    </>
  );
}
