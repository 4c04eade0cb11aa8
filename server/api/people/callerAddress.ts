const loopback = /^(127\.|::1$|::ffff:127\.)/;

/**
 * Address of the caller, for rate limits: the socket's address as recorded by the server's preload. Behind a proxy on
 * this machine, the address that the proxy appended last. For IPv6 only the network, since a caller controls all its
 * addresses.
 */
export function callerAddress(headers: Headers): string {
  const socket = headers.get("x-arlarena-address") ?? "";
  const forwarded = headers.get("x-forwarded-for")?.split(",").at(-1)?.trim();
  const address = (loopback.test(socket) && forwarded) || socket;
  const isVersion6 = address.includes(":") && !address.includes(".");
  return isVersion6 ? address.split(":").slice(0, 4).join(":") : address.slice(0, 60);
}
