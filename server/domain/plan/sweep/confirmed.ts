import { AppError, badInput, formatCount, type InputIssue } from "#packages/base";

/** Number of runs or evaluations above which one request must state the number. */
export const askAbove = 1000;

type Confirmation = {
  /** Field of the request that states the number. */
  field: string;
  unit: string;
  confirmed: number | undefined;
  max: number;
  /** Number up to which the request need not state it. */
  unasked?: number;
};

/** Refuses a request that starts more than `max`, or more than `unasked` without stating the number itself. */
export function refuseUnconfirmed(number: number, { unasked = askAbove, ...confirmation }: Confirmation): void {
  const { field, unit, confirmed, max } = confirmation;
  const count = formatCount(number, unit);
  if (number > max) {
    const message = `the request starts ${count}, the limit is ${formatCount(max, unit)}: ask for fewer at a time`;
    throw badInput([{ path: field, message }]);
  }
  if (confirmed === number || (confirmed === undefined && number <= unasked)) return;
  const stated = confirmed === undefined ? "" : `, not ${formatCount(confirmed, unit)}`;
  const message = `This starts ${count}${stated}: confirm the number with ${field}: ${number}`;
  throw new AppError("conflict", message, { issues: [{ path: field, message, instead: String(number) }] });
}

/** Returns the number that a refused request must confirm; undefined if it was refused for another reason. */
export function numberToConfirm(issues: readonly InputIssue[], field: string): number | undefined {
  const issue = issues.find(({ path, instead }) => path === field && instead !== undefined);
  return issue && Number(issue.instead);
}
