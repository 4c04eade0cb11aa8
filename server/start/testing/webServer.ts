import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export type WebServer = { port: number; close: () => void };

/**
 * Starts a process that preloads a module of server/start, like the web app, and then serves HTTP.
 * @param preload name of the module's file
 * @param code JavaScript that creates an HTTP server named `server`, which this function makes listen
 */
export async function startWebServer(preload: string, code: string): Promise<WebServer> {
  const path = fileURLToPath(new URL(`../${preload}`, import.meta.url));
  const program = `${code}\nserver.listen(0, "127.0.0.1", () => console.log(server.address().port));`;
  const child = spawn(process.execPath, ["--import", path, "-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  const [printed] = await once(child.stdout, "data");
  return { port: Number(String(printed)), close: () => void child.kill() };
}
