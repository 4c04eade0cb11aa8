import { once } from "node:events";
import { createServer } from "node:net";

/** Finds a free TCP port of 127.0.0.1: `preferred` if it is free, otherwise any. Throws if no port is free. */
export async function findFreePort(preferred = 0): Promise<number> {
  const [port = 0] = await findFreePorts(1, preferred).catch((error: unknown) => {
    if (preferred === 0) throw new Error("no free port on 127.0.0.1", { cause: error });
    return findFreePorts(1);
  });
  return port;
}

/** Finds several free TCP ports. All are opened at once, so that no port is found twice. */
export async function findFreePorts(count: number, preferred = 0): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(preferred, "127.0.0.1"));
  // `once` rejects if a server emits an error, for example because its port is in use.
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  });
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}
