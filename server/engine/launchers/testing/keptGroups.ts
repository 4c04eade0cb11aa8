import { readGroup, readGroupIndex } from "#server/api/runs/groups.ts";
import { openGroups } from "#trainer/run/keeping/groupFile.ts";
import { type GroupToken, notRecorded, summariseGroup } from "#trainer/spec/keptGroup.ts";

/** Makes a function that writes one training group of an iteration into a folder, as a trainer does. */
export function makeGroups(folder: string): (iteration: number) => void {
  const file = openGroups(folder);
  return (iteration) => {
    const tokens: GroupToken[] = Array.from({ length: 2000 }, (_, i) => {
      const place = { episode: 0, turn: 0, reward: 1, return: 1, behind: 0 };
      return { ...notRecorded, ...place, role: "response", text: `${iteration} ${i}` };
    });
    const described = { iteration, group: 0, task: 1, successes: [true] };
    file.write([{ head: summariseGroup(described, tokens), tokens }]);
  };
}

/** Returns the last token of every group that is completely in a folder, read by its range as for a page. */
export async function readLastTokens(folder: string): Promise<(string | undefined)[]> {
  const { groups } = await readGroupIndex([{ number: 1, folder }]);
  const details = groups.map((head) => readGroup(folder, head));
  return (await Promise.all(details)).map(({ episodes }) => episodes[0]?.turns[0]?.tokens.text.at(-1));
}
