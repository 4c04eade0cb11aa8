import { lookup } from "node:dns/promises";
import ipaddr from "ipaddr.js";

export type Address = { address: string; family: 4 | 6 };

/**
 * Resolves a host once and returns the address to connect to, since a second lookup could return another.
 * @throws if there is no address, or a private one not in `allowPrivate` (names, addresses, networks).
 */
export async function resolveAllowed(host: string, allowPrivate: readonly string[]): Promise<Address> {
  const name = host.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  const found = await lookup(name, { all: true }).catch((cause: unknown) => {
    throw new Error(`${name} has no address`, { cause });
  });
  const isNamed = allowPrivate.some((entry) => entry.toLowerCase() === name);
  const inside = found.find(({ address }) => !isNamed && !isPublic(address) && !isWithin(address, allowPrivate));
  if (inside) {
    throw new Error(
      `${name} is ${inside.address}, which is not on the public internet: add the host to allowPrivate in alerts.yaml to allow it`,
    );
  }
  const [first] = found;
  if (first === undefined) throw new Error(`${name} has no address`);
  return { address: first.address, family: first.family === 6 ? 6 : 4 };
}

/**
 * Returns true for an address of the public internet. IPv4-mapped addresses (`::ffff:10.0.0.1`) are checked as IPv4.
 * The public internet of IPv6 is 2000::/3 alone, which excludes `::127.0.0.1`, an old form of IPv4 addresses.
 */
function isPublic(address: string): boolean {
  const parsed = ipaddr.process(address);
  const isAssigned = parsed.kind() === "ipv4" || parsed.match(ipaddr.parseCIDR("2000::/3"));
  return isAssigned && parsed.range() === "unicast";
}

function isWithin(address: string, networks: readonly string[]): boolean {
  const parsed = ipaddr.process(address);
  return networks.some((network) => {
    if (ipaddr.isValidCIDR(network)) {
      const [base, bits] = ipaddr.parseCIDR(network);
      return base.kind() === parsed.kind() && parsed.match(base, bits);
    }
    return ipaddr.isValid(network) && ipaddr.process(network).toString() === parsed.toString();
  });
}
