"use client";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { Skeleton } from "#app/_ui/Busy.tsx";
import type { EpisodePlay } from "./useEpisode.ts";

export function NotBegun({ episode: { error, replies, retry, goBackTo } }: { episode: EpisodePlay }) {
  if (!error) return <Skeleton className="h-96" />;
  return (
    <Notice tone="bad">
      <p>{errorWords(error)}</p>
      <p className="mt-2 flex flex-wrap gap-2">
        <Button onClick={retry}>Try again</Button>
        {replies.length > 0 && <Button onClick={() => goBackTo(0)}>Restart the episode</Button>}
      </p>
    </Notice>
  );
}
