const loopback = /^(127\.|::1$|::ffff:127\.)/;

/**
 * Who calls, for counting: the socket's address as the server's preload wrote it down; behind a proxy on this machine,
 * the address that the proxy appended last. Of IPv6 the network, since a caller has all addresses in it.
 */
export function callerAddress(headers: Headers): string {
  const socket = headers.get("x-arlarena-address") ?? "";
  const forwarded = headers.get("x-forwarded-for")?.split(",").at(-1)?.trim();
  const address = (loopback.test(socket) && forwarded) || socket;
  const isVersion6 = address.includes(":") && !address.includes(".");
  return isVersion6 ? address.split(":").slice(0, 4).join(":") : address.slice(0, 60);
}
