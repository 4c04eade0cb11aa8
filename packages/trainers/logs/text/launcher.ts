import { z } from "zod";
import { parseJson } from "../pythonJson.ts";

/** Words that precede a number like a host name would, but are not host names. */
const counters = "(?!(?:iter|iteration|step|epoch|batch|round|episode|update|it|ep|line|seed)[-_.]?\\d)";

/** Prefix patterns with a group that identifies a process. The first matching group names it. */
const processes: readonly RegExp[] = [
  // srun -l
  /^\s*(\d{1,5}): ?/,
  // torchrun --tee, its templates, PyTorch's and NeMo's ranks
  /^\[[A-Za-z_]*?(?:rank|RANK|Rank)?[ :_=-]*(\d{1,5})\]:? ?/,
  /^\[\w+?\d+\|(\d{1,5})\]:? ?/,
  /^[[(]?(?:rank|RANK|Rank|local_rank|GPU|gpu)[ :_=-]*(\d{1,5})[\])]?(?:[/|]\d+)?[\])]?: ?/,
  // mpirun --tag-output
  /^\[\d+,(\d{1,5})\]<std(?:out|err)>: ?/,
  // docker compose
  /^([\w.]+(?:[-_][\w.]+)*[-_]\d+)\s*\| ?/,
  /^([a-z][\w.-]*)\s+\| /,
  // kubectl logs --prefix
  /^\[(pod\/[\w.-]+(?:\/[\w.-]+)?)\] ?/,
  // pdsh, DeepSpeed's hosts
  /^((?:\d{1,3}\.){3}\d{1,3}): /,
  new RegExp(`^(${counters}[a-z][a-z0-9]*(?:[-.][a-z0-9]+)*[-.]?\\d+(?:\\.[\\w.-]+)?): `),
];

/** Prefix patterns of timestamps and of Ray, without a rank. */
const others: readonly RegExp[] = [
  /^\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?:? (?:std(?:out|err) [FP] )?/,
  /^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d (?:[\w.-]+ [\w.-]+\[\d+\]: )?/,
  /^\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]? /,
  /^[IWE]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ [^\]]{1,80}\] ?/,
  /^\([\w .:<>-]*\bpid=\d+(?:, ip=[^)]*)?\) ?/,
];

/** A printed line without its launcher's prefix. `source`: the process named in the prefix. */
export type Launched = { source: string; text: string };

export function stripLauncher(line: string): Launched {
  const inner = line.startsWith('{"log":') ? unwrap(line) : line;
  let [text, source] = [inner, ""];
  // Prefixes may be nested: a timestamp, a pod, a rank.
  for (let depth = 0; depth < 6; depth++) {
    const of = processes.find((pattern) => pattern.test(text));
    const [whole, name] = (of ?? others.find((pattern) => pattern.test(text)))?.exec(text) ?? [];
    if (whole === undefined) break;
    if (of) source = source === "" ? (name ?? "") : `${source} ${name}`;
    text = text.slice(whole.length);
  }
  return { source, text };
}

/** Docker's log files have one JSON line per printed line. */
const DockerLine = z.object({ log: z.string(), stream: z.string() });

function unwrap(line: string): string {
  const found = DockerLine.safeParse(parseJson(line));
  return found.success ? found.data.log.replace(/\r?\n$/, "") : line;
}
