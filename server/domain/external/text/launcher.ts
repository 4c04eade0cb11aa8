import { z } from "zod";
import { parseJson } from "../pythonJson.ts";

/** Words that stand before a number as a host's name would, and name no host. */
const counters = "(?!(?:iter|iteration|step|epoch|batch|round|episode|update|it|ep|line|seed)[-_.]?\\d)";

/** Prefix patterns with a group that tells one process from its siblings. The first group found names the process. */
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

/** Prefix patterns of clocks and of Ray, which say nothing of the rank. */
const others: readonly RegExp[] = [
  /^\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?:? (?:std(?:out|err) [FP] )?/,
  /^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d (?:[\w.-]+ [\w.-]+\[\d+\]: )?/,
  /^\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]? /,
  /^[IWE]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ [^\]]{1,80}\] ?/,
  /^\([\w .:<>-]*\bpid=\d+(?:, ip=[^)]*)?\) ?/,
];

/** A printed line without what its launcher put before it. `source`: the process that printed it, as the prefix names it. */
export type Launched = { source: string; text: string };

export function stripLauncher(line: string): Launched {
  const inner = line.startsWith('{"log":') ? unwrap(line) : line;
  let [text, source] = [inner, ""];
  // Prefixes stand one behind the other: a clock, a pod, a rank.
  for (let depth = 0; depth < 6; depth++) {
    const of = processes.find((pattern) => pattern.test(text));
    const [whole, name] = (of ?? others.find((pattern) => pattern.test(text)))?.exec(text) ?? [];
    if (whole === undefined) break;
    if (of) source = source === "" ? (name ?? "") : `${source} ${name}`;
    text = text.slice(whole.length);
  }
  return { source, text };
}

/** Docker's own files have a line of JSON for each line that was printed. */
const DockerLine = z.object({ log: z.string(), stream: z.string() });

function unwrap(line: string): string {
  const found = DockerLine.safeParse(parseJson(line));
  return found.success ? found.data.log.replace(/\r?\n$/, "") : line;
}
