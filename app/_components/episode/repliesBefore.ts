import type { SampleEpisode } from "#trainer/spec/sample.ts";

/** What was answered before a turn, as the environment is played again: token for token as the policy wrote it. */
export function repliesBefore(
  turns: readonly SampleEpisode["turns"][number][],
  at: number,
): { kind: "words"; words: string }[] {
  return turns.slice(0, at).map(({ response }) => ({
    kind: "words",
    words: response.map(({ token }) => token).join(" "),
  }));
}
