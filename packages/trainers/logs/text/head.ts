/** Prefixes of loggers before a message: level, source line, logger name, label of a measurement. */
const heads: readonly RegExp[] = [
  /^[\s|:>�-]+/,
  /^\[?(?:INFO|DEBUG|WARNING|WARN|ERROR|SUCCESS|NOTICE|METRICS?)(?:[:|][\w.]+)*\]?(?![A-Za-z])/,
  /^\d{1,4}-\d\d(?:-\d\d)? \d\d:\d\d:\d\d(?:[.,]\d+)?/,
  /^\[[\w.:,/ -]{1,60}\]/,
  /^\([\w.:,/ =-]{1,60}\)/,
  /^(?:[\w./<>-]+:)+\d+\]?/,
  /^[\w.]+ - /,
  /^(?:training |train |eval |evaluation )?(?:metrics|train|eval|logs?|training|evaluation|results?)\s*[:=]\s*/i,
];
const stepHead = /^(?:global[_ ]?)?(?:step|iteration|iter|update)[ :=#]*(\d+)(?:\s*\/\s*\d+)?/i;

/** A dictionary and the step in its logger prefix; undefined if other words precede it. */
export function splitHead(line: string): { body: string; step: number | undefined } | undefined {
  if (line.charCodeAt(0) === 123) return { body: line, step: undefined };
  const at = line.search(/\{\s*['"]/);
  if (at === -1) return undefined;
  let head = line.slice(0, at);
  let step: number | undefined;
  while (head !== "") {
    const [whole, number] = stepHead.exec(head) ?? [];
    if (number !== undefined) step = Number(number);
    const found = whole ?? heads.find((pattern) => pattern.test(head))?.exec(head)?.[0];
    if (found === undefined || found === "") return undefined;
    head = head.slice(found.length);
  }
  return { body: line.slice(at), step };
}
