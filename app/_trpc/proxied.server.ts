import { readConfig } from "#server/config/config.ts";
import { makeLogger } from "#server/config/logger.ts";
import { isAmong, readProxy, type Proxy } from "#server/config/people.ts";
import { makeRateLimit } from "#server/api/rateLimit.ts";

const log = makeLogger("proxy");
/** What is wrong is said once a minute for each address: who sends a header sends it with every request. */
const sayings = makeRateLimit({ most: 1, everyMs: 60_000, maxKeys: 1000 });

export type Proxied = { name: string; /** As versions before read it. */ formerName: string; proxy: Proxy };

/**
 * Whom the proxy before us says that a request is from; undefined where there is none, or where the header comes from
 * elsewhere. The socket's address decides, which the server's preload wrote down over whatever was sent.
 */
export function readProxied(headers: Headers): Proxied | undefined {
  const proxy = readFile();
  const formerName = proxy && headers.get(proxy.header);
  if (!formerName) return undefined;
  const name = decodeUtf8(formerName);
  const address = headers.get("x-arlarena-address") ?? "";
  if (isAmong(address, proxy.from)) return { name, formerName, proxy };
  say(address, `${proxy.header} from an address that is not the proxy’s: ignored`);
  return undefined;
}

/** Node.js reads each byte of a header as a letter of Latin-1; proxies send UTF-8. What is none stays as it is. */
function decodeUtf8(header: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(header, "latin1"));
  } catch {
    return header;
  }
}

/** A file that is wrong makes nobody known. */
function readFile(): Proxy | undefined {
  try {
    return readProxy(readConfig().home);
  } catch (error) {
    say("people.yaml", error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

function say(about: string, problem: string): void {
  if (sayings.take(about, Date.now()) === 0) log.warn(problem, { about });
}
