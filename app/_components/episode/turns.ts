import type { Reply } from "#server/engine/playground/play.ts";
import type { StoredEpisode } from "#trainer/spec/storedEpisode.ts";

type Validity = { isFormatValid: boolean; isActionValid: boolean };

/** Names the format check that a response failed, or returns "valid". */
export function formatValidity({ isFormatValid, isActionValid }: Validity): string {
  if (!isFormatValid) return "invalid format";
  return isActionValid ? "valid" : "invalid action";
}

/** Markers that begin a section of a compact prompt. Others, such as SWE-Gym's `<in>`, are text. */
const marks = new Set(["<task>", "<notes>", "<obs>", "<actions>", "<sep>"]);

/** Returns true for a marker that begins a section of a compact prompt, and therefore a new line. */
export function isSectionMark(word: string): boolean {
  return marks.has(word);
}

/** Returns the responses before turn `at`, verbatim; the environment replays the episode from them. */
export function repliesBefore(turns: readonly StoredEpisode["turns"][number][], at: number): Reply[] {
  return turns
    .slice(0, at)
    .map(({ response, written }) =>
      written ? { kind: "tokens", ...written } : { kind: "words", words: response.map(({ token }) => token).join(" ") },
    );
}
