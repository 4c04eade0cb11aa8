/** Checks of the form, with the schemas of a plan and its runs. The page loads this file with the first change. */
export { checkFile, probeModel, toFile } from "./check.ts";
export { prepareSummary } from "../prepareSummary.ts";
export { countFileProblems, listProblems } from "../problems.ts";
