import { pages, reportPage } from "#server/domain/pages.ts";

/** A piece of a sentence; a piece with a path is a link. */
export type Piece = { text: string; path?: string };

/** Named sweep or run. */
export type Named = { text: string; path: string };

/** Sentences by procedure; `{}` is replaced by what the change is about. */
const sentences: Readonly<Record<string, string>> = {
  "alerts.remove": "Removed the alert channel {}",
  "alerts.save": "Changed the alert channel {}",
  "alerts.test": "Sent a test message to {}",
  "cost.setPrice": "Changed the price of the node {}",
  "link.create": "Made the shared link {}",
  "link.end": "Ended the shared link {}",
  "marks.write": "Changed the marks of {}",
  "nodes.check": "Checked the node {}",
  "people.changePassword": "Changed the own password",
  "people.createToken": "Made the token {}",
  "people.guesses": "Looked at wrong passwords",
  "people.invite": "Invited somebody",
  "people.join": "Accepted an invitation",
  "people.remove": "Removed {}",
  "people.revokeTokens": "Revoked tokens of the own",
  "people.revokeTokensOf": "Revoked the tokens of {}",
  "people.setRole": "Changed the role of {}",
  "people.takeBackInvitation": "Took back an invitation",
  "queue.prioritise": "Moved {} forward in the queue",
  "report.create": "Made the report {}",
  "report.createOfSweep": "Made a report of {}",
  "report.delete": "Deleted the report {}",
  "report.freeze": "Froze the report {}",
  "report.save": "Edited the report {}",
  "report.unfreeze": "Thawed the report {}",
  "run.addSeeds": "Added seeds to {}",
  "run.cancel": "Cancelled {}",
  "run.cancelEvaluations": "Cancelled evaluations of {}",
  "run.end": "Ended {}",
  "run.evaluate": "Evaluated {} in other environments",
  "run.import": "Imported {}",
  "run.retry": "Started {} again",
  "run.takeBackCancel": "Undid the cancellation of {}",
  "run.takeBackSeeds": "Took back added seeds of {}",
  "runTable.cancel": "Cancelled {}",
  "runTable.delete": "Deleted {}",
  "runTable.deleteView": "Deleted the view {} of the table of runs",
  "runTable.mark": "Changed the marks of {}",
  "runTable.retry": "Started {} again",
  "runTable.saveView": "Saved the view {} of the table of runs",
  "stability.judge": "Judged {}",
  "stability.markChange": "Marked a change of data or task in {}",
  "stability.markSeen": "Marked alarms as seen",
  "stability.unmarkChange": "Removed a mark of a change of data or task",
  "statement.state": "Stated method and settings of {}",
  "statement.withdraw": "Withdrew a statement about {}",
  "study.open": "Opened the recorded study {}",
  "sweep.addTrial": "Added a trial to {}",
  "sweep.branch": "Launched branches: {}",
  "sweep.cancel": "Cancelled {}",
  "sweep.create": "Launched {}",
  "sweep.delete": "Deleted {}",
  "sweep.deleteView": "Deleted a view of {}",
  "sweep.letRulesAct": "Let the rules of {} act",
  "sweep.pause": "Paused {}",
  "sweep.pinBaseline": "Chose the baseline of {}",
  "sweep.rescue": "Launched a rescue experiment: {}",
  "sweep.resume": "Resumed {}",
  "sweep.retry": "Started the failed runs of {} again",
  "sweep.saveView": "Saved a view of {}",
  "sweep.setSpace": "Changed the search space of {}",
  "sweep.setTrials": "Changed the number of trials of {}",
  "sweep.takeBackCancel": "Undid the cancellation of {}",
  "sign-in": "Tried to sign in: {}",
};

/** Beginnings of sentences by command; other commands are named. */
const commands: Readonly<Record<string, string>> = {
  "arlarena cancel": "Cancelled",
  "arlarena import": "Imported",
  "arlarena pause": "Paused",
  "arlarena resume": "Resumed",
  "arlarena retry": "Started again",
  "arlarena sign-in": "Made a sign-in link",
  "arlarena sweep run": "Launched the plan",
};

/** @testing */
export const knowsChange = (action: string): boolean => Object.hasOwn(sentences, action);

type Logged = { action: string; subject: string };

/** Ids in a logged subject such as `runIds=a, b and 3 more`, or in the arguments of a command. */
export function idsIn({ action, subject }: Logged): string[] {
  if (action.startsWith("arlarena ")) return subject.split(/\s+/).filter((word) => word !== "");
  return partsOf(subject).flatMap(({ key, values }) => (isOfIds(key) ? values : []));
}

/** Describes a logged change as a sentence whose links lead to the sweeps, runs and reports that still exist. */
export function sayChange(change: Logged, named: ReadonlyMap<string, Named>): Piece[] {
  const { action, subject } = change;
  if (action.startsWith("arlarena ")) {
    const words = subject
      .split(/(\s+)/)
      .map((word): Piece => named.get(word) ?? { text: word.split("/").findLast(Boolean) ?? word });
    return join([{ text: `${commands[action] ?? `Ran ${action}`} ` }, ...words]);
  }
  const [before = "", after] = (sentences[action] ?? `Changed something (${action}): {}`).split("{}");
  if (after === undefined) return [{ text: before }];
  const targets = partsOf(subject).flatMap(({ key, values, more }, i, all): Piece[] => {
    // A name beside an id says what else is meant, such as the name of a view.
    if (i > 0 && all[0]?.key === key) return [];
    if (i > 0 && all[0]?.values.some((value) => named.get(value)?.text === values.join())) return [];
    const pieces = values.map((value): Piece => named.get(value) ?? toPiece(action, key, value));
    const listed = pieces.flatMap((piece, at) => (at === 0 ? [piece] : [{ text: ", " }, piece]));
    return [...(i > 0 ? [{ text: ", " }] : []), ...listed, ...(more === undefined ? [] : [{ text: more }])];
  });
  return join([{ text: before }, ...(targets.length > 0 ? targets : [{ text: "…" }]), { text: after }]);
}

function toPiece(action: string, key: string, value: string): Piece {
  const isReport = key === "reportId" || (key === "id" && action.startsWith("report."));
  if (isReport && action !== "report.delete") return { text: value, path: reportPage(value) };
  return { text: value, ...(action === "alerts.test" && { path: pages.alerts }) };
}

const isOfIds = (key: string): boolean => /ids?$/i.test(key);

/** Splits `id=a; name=b` into keys and values. Only lists of ids are split at commas, which names may contain. */
function partsOf(subject: string) {
  return subject.split("; ").flatMap((part) => {
    const [, key, text = ""] = /^([A-Za-z]+)=(.*)$/s.exec(part) ?? [];
    if (key === undefined) return part === "" ? [] : [{ key: "", values: [part], more: undefined }];
    if (!isOfIds(key)) return [{ key, values: [text], more: undefined }];
    const [, list = text, more] = /^(.*?)( and \d+ more)?$/s.exec(text) ?? [];
    return [{ key, values: list.split(", "), more }];
  });
}

function join(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = [];
  for (const piece of pieces.filter(({ text }) => text !== "")) {
    const last = joined.at(-1);
    if (last && last.path === undefined && piece.path === undefined)
      joined.splice(-1, 1, { text: last.text + piece.text });
    else joined.push(piece);
  }
  return joined;
}
