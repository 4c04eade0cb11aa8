import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export type WebServer = { port: number; close: () => void };

/** Starts a process that preloads a module, then serves HTTP. `code`: JavaScript that makes `server`. */
export async function startWebServer(preload: string, code: string): Promise<WebServer> {
  const path = fileURLToPath(new URL(`../${preload}`, import.meta.url));
  const program = `${code}\nserver.listen(0, "127.0.0.1", () => console.log(server.address().port));`;
  const child = spawn(process.execPath, ["--import", path, "-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  const [printed] = await once(child.stdout, "data");
  return { port: Number(String(printed)), close: () => void child.kill() };
}
