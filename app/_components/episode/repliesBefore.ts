import type { Reply } from "#server/engine/playground/play.ts";
import type { SampleEpisode } from "#trainer/spec/sample.ts";

/** The policy's responses before a turn, as they were written, so that the environment can replay the episode up to that turn. */
export function repliesBefore(turns: readonly SampleEpisode["turns"][number][], at: number): Reply[] {
  return turns
    .slice(0, at)
    .map(({ response, written }) =>
      written ? { kind: "tokens", ...written } : { kind: "words", words: response.map(({ token }) => token).join(" ") },
    );
}
