import { readConfig } from "#server/config/config.ts";
import { makeLogger } from "#server/config/logger.ts";
import { isAmong, readProxy, type Proxy } from "#server/config/people.ts";
import { makeRateLimit } from "#server/api/people/caller.ts";

const log = makeLogger("proxy");
/** Limits warnings to one a minute per address, because a client may forge the header in every request. */
const sayings = makeRateLimit({ most: 1, everyMs: 60_000, maxKeys: 1000 });

export type Proxied = {
  name: string;
  /** Name as earlier versions stored the person, before header values were decoded as UTF-8. */
  formerName: string;
  proxy: Proxy;
};

/** Returns the person in the proxy's header if the socket's address, set by the preload script, is the proxy's. */
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

/** Decodes a header as UTF-8, because Node.js decodes it as Latin-1. Other text stays unchanged. */
function decodeUtf8(header: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(header, "latin1"));
  } catch {
    return header;
  }
}

/** Reads the reverse proxy's configuration; undefined if there is none. An invalid file authenticates nobody. */
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
