import type { EnvironmentId } from "#trainer/spec/environment.ts";
import type { Programs } from "./programs.ts";
import type { ReplayReport } from "./replay.ts";

/** Compares recordings with the studio's environment. Records refer to `games` by file name. */
export type Replay = (records: readonly unknown[], beside: ReplayTools) => ReplayReport;

export type ReplayTools = { games: Readonly<Record<string, unknown>>; programs: Programs | undefined };

const replays: Record<EnvironmentId, () => Promise<Replay>> = {
  sokoban: async () => (await import("./sokoban/replay.ts")).replaySokoban,
  alfworld: async () => (await import("./alfworld/replay.ts")).replayAlfworld,
  webshop: async () => (await import("./webshop/replay.ts")).replayWebShop,
  textworld: async () => {
    const { replayTextWorld } = await import("./textworld/replay.ts");
    return (records, { games }) => replayTextWorld(records, games);
  },
  tirMath: async () => {
    const { replayTirMath } = await import("./tirMath/replay.ts");
    return (records, { programs }) => replayTirMath(records, programs);
  },
  sweGym: async () => (await import("./sweGym/replay.ts")).replaySweGym,
};

export async function loadReplay(id: EnvironmentId): Promise<Replay> {
  return replays[id]();
}
