export type { AttemptPaths } from "./commands/fillIn.ts";
export { listTrainers, type OfferedTrainer } from "./commands/listTrainers.ts";
export { interpreterOf, resolveTemplate } from "./commands/resolveTemplate.ts";
export {
  ExternalFile,
  ExternalJob,
  MetricsSource,
  type Option,
  TrainersFile,
  TrainerTemplate,
} from "./commands/template.ts";
export { namesOfTask } from "./commands/task.ts";
export { describeTooOld, isKnownRelease, verlReleases } from "./commands/verl/releases.ts";
export { makeTranslate } from "./commands/translate.ts";
export { readCrash, readLastWords } from "./logs/crash.ts";
export { parseEvent, readEventLines } from "./logs/eventLog.ts";
export type { LineDialect } from "./logs/lineReader.ts";
export { type LoggedStep, parseNumber } from "./logs/point.ts";
export { parseJson } from "./logs/pythonJson.ts";
export { readLog } from "./logs/readLog.ts";
export { sayRestarts, settle } from "./logs/settle.ts";
export { readTensorBoard } from "./logs/tensorBoard.ts";
export { decodeText } from "./logs/text/decodeText.ts";
export { type LiveStream, makeLiveReader } from "./logs/text/liveReader.ts";
export { type RawRun, type RunSeries, shareScales, toSeries } from "./logs/toSeries.ts";
export { readArguments, readLogHistory, readTrlPlan, type TrlPlan } from "./logs/trl.ts";
export { makeUnread, nothingUnread, notUnderstood, sayUnread, toShown, type Unread } from "./logs/unread.ts";
export { isWandbFile, readWandbFile } from "./logs/wandbFile.ts";
export { fromCatalogueUnit, isDropped, toCatalogueUnit } from "./names/canonical.ts";
export { makeNamer, nameAlone, type Namer } from "./names/namer.ts";
