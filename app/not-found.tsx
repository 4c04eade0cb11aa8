import { pages } from "#server/domain/pages.ts";
import { Link } from "#app/_ui/Link.tsx";
import { buttonClasses } from "./_ui/Button.tsx";
import { NearPages } from "./NearPages.tsx";
import { EmptyState } from "./_ui/Notice.tsx";

export default function NotFound() {
  const back = (
    <>
      <Link href={pages.sweeps} className={buttonClasses("primary")}>
        All sweeps
      </Link>
      <Link href={pages.runs} className={buttonClasses()}>
        All runs
      </Link>
    </>
  );
  return (
    <>
      <h1 className="sr-only">Page not found</h1>
      <EmptyState title="Page not found" actions={back}>
        <NearPages />
      </EmptyState>
    </>
  );
}
