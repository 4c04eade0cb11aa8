import { setPriority } from "node:os";
import { serve } from "#trainer/confined/serve.ts";
import { loadPrograms } from "#trainer/programs/openPrograms.ts";
import { parseArgument } from "#trainer/programs/packageArgs.ts";
import { noPackages } from "#trainer/python/packages.ts";
import { answerOrRefuse } from "#server/engine/processes/answers.ts";
import { expertResponse, replay, toMoment, toPosition } from "../replay.ts";
import { EpisodeRequest, withPython } from "../requests.ts";

/** Process that replays episodes for the web app: a program in an action may block it or fill its memory. */

// Python is loaded before the first episode, because loading counts against the time limit of an episode.
const at = process.argv.indexOf(withPython);
const packages = at < 0 ? noPackages : parseArgument(process.argv[at + 1] ?? "");
if (at >= 0) await loadPrograms(packages);

// A low priority (nice value 5) keeps the web app responsive on machines with few processors.
setPriority(5);
serve((request) => answerOrRefuse(() => answer(EpisodeRequest.parse(request))));

async function answer({ kind, play }: EpisodeRequest): Promise<unknown> {
  const played = await replay(play, packages.folder);
  switch (kind) {
    case "moment":
      return toMoment(played, play);
    case "expert":
      return expertResponse(played);
    case "position":
      return toPosition(played);
  }
}
