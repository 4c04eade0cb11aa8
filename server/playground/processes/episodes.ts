import { setPriority } from "node:os";
import { serve } from "#trainer/confined/serve.ts";
import { loadPrograms } from "#trainer/programs/loadPrograms.ts";
import { parseArgument } from "#trainer/programs/packageArgs.ts";
import { noPackages } from "#trainer/python/packages.ts";
import { answerOrRefuse } from "#server/processes/answers.ts";
import { expertResponse, replay, toMoment, toPosition } from "../replay.ts";
import { EpisodeRequest, withPython } from "../requests.ts";

/** A process of the web app that plays episodes, and that a program in an action can hold up or fill without harm. */

// Before the first episode, whose time it would take.
const at = process.argv.indexOf(withPython);
const packages = at < 0 ? noPackages : parseArgument(process.argv[at + 1] ?? "");
if (at >= 0) await loadPrograms("tirMath", packages);

// Pages come first where processors are few.
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
