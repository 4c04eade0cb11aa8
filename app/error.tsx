"use client";
import { Button } from "./_ui/Button.tsx";
import { EmptyState } from "./_ui/Notice.tsx";

type Props = { error: Error & { digest?: string }; retry: () => void };

export default function ErrorPage({ error, retry }: Props) {
  return (
    <>
      <h1 className="sr-only">Error</h1>
      <EmptyState title="This page could not be loaded" actions={<Button onClick={() => retry()}>Try again</Button>}>
        <p>
          The database may be stopped or restarting. No measurement is lost: training continues, and the studio reads
          the logs later.
        </p>
        {error.digest && <p className="mt-2 text-sm">The web app’s log has the details under {error.digest}.</p>}
      </EmptyState>
    </>
  );
}
