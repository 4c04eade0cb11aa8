import { readConfig } from "#server/config/config.ts";
import { makeLogger } from "#server/config/logger.ts";
import { isAmong, readProxy, type Proxy } from "#server/config/people.ts";
import { makeRateLimit } from "#server/api/people/caller.ts";

const log = makeLogger("proxy");
/**
 * Rate limit of the warnings in the log: one a minute per network address, because a client may send a forged header
 * with every request.
 */
const sayings = makeRateLimit({ most: 1, everyMs: 60_000, maxKeys: 1000 });

export type Proxied = {
  name: string;
  /** Name as earlier versions stored the person, before header values were decoded as UTF-8. */
  formerName: string;
  proxy: Proxy;
};

/**
 * Returns the person that the authenticating reverse proxy's header names; undefined without the header, or if the
 * socket's address is not the proxy's. The server's preload script overwrites the header with that address.
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

/**
 * Decodes a header value as UTF-8: Node.js decodes header bytes as Latin-1, but proxies send UTF-8. Other text stays
 * unchanged.
 */
function decodeUtf8(header: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(header, "latin1"));
  } catch {
    return header;
  }
}

/**
 * Reads the configuration of the authenticating reverse proxy; undefined if there is none. An invalid file
 * authenticates nobody.
 */
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
