import type { EnvironmentId } from "#trainer/spec/environment.ts";
import type { ReplayReport } from "./replay.ts";

/** Compares recordings of an original environment with ours. `games` are files that records refer to by name. */
export type Replay = (records: readonly unknown[], games: Readonly<Record<string, unknown>>) => ReplayReport;

const replays: Record<EnvironmentId, () => Promise<Replay>> = {
  sokoban: async () => (await import("./sokoban/replay.ts")).replaySokoban,
  alfworld: async () => (await import("./alfworld/replay.ts")).replayAlfworld,
  webshop: async () => (await import("./webshop/replay.ts")).replayWebShop,
  textworld: async () => (await import("./textworld/replay.ts")).replayTextWorld,
  tirMath: async () => (await import("./tirMath/replay.ts")).replayTirMath,
  sweGym: async () => (await import("./sweGym/replay.ts")).replaySweGym,
};

export async function loadReplay(id: EnvironmentId): Promise<Replay> {
  return replays[id]();
}
