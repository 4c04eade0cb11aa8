import type { SampleEpisode } from "#trainer/spec/sample.ts";

/** The policy's responses before a turn, as words, so that the environment can replay the episode up to that turn. */
export function repliesBefore(
  turns: readonly SampleEpisode["turns"][number][],
  at: number,
): { kind: "words"; words: string }[] {
  return turns.slice(0, at).map(({ response }) => ({
    kind: "words",
    words: response.map(({ token }) => token).join(" "),
  }));
}
