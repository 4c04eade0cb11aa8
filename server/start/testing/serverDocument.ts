import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../root.ts";

/** Returns the code blocks of docs/server.md in a language, in their order: tests run exactly what people copy. */
export function readBlocks(language: string): string[] {
  const text = readFileSync(join(root, "docs/server.md"), "utf8");
  return [...text.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].flatMap(([, name, block = ""]) =>
    name === language ? [block] : [],
  );
}

export function isInstalled(program: string): boolean {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).error === undefined;
}

/** Replaces names of the document by those of a test. Throws if the document does not contain one. */
export function adapt(text: string, changes: Readonly<Record<string, string>>): string {
  return Object.entries(changes).reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`docs/server.md does not contain ${from} where the test expects it`);
    return changed.replaceAll(from, to);
  }, text);
}

export const hostName = "studio.example.org";
export const proxyUser = { name: "ada", password: "correct horse" };

export type ProxyPlan = { folder: string; port: number; studioPort: number; namesPeople: boolean };

/** Writes the document's configuration of nginx for a test into a folder, and returns the command that runs it. */
export async function prepareNginx({ folder, port, studioPort, namesPeople }: ProxyPlan): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const [server = "", names = ""] = readBlocks("nginx");
  const passwords = join(folder, "passwords");
  const hash = spawnSync("openssl", ["passwd", "-apr1", proxyUser.password], { encoding: "utf8" }).stdout.trim();
  await writeFile(passwords, `${proxyUser.name}:${hash}\n`);
  const [certificate, key] = [join(folder, "certificate.pem"), join(folder, "key.pem")];
  const subject = ["-subj", `/CN=${hostName}`, "-days", "2", "-nodes", "-keyout", key, "-out", certificate];
  spawnSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", ...subject], { stdio: "ignore" });
  const noName = /^ *proxy_set_header X-Forwarded-User "";.*\n/m.exec(server)?.[0] ?? "no header is removed";
  const site = adapt(server, {
    "listen 443": `listen 127.0.0.1:${port}`,
    "127.0.0.1:7331": `127.0.0.1:${studioPort}`,
    "/etc/ssl/certs/studio.example.org.pem": certificate,
    "/etc/ssl/private/studio.example.org.key": key,
    ...(namesPeople && { [noName]: adapt(names, { "/etc/nginx/studio.passwords": passwords }) }),
  });
  const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const user = process.getuid?.() === 0 ? "user root;" : "";
  const main = `${user} daemon off; worker_processes 1; pid ${join(folder, "pid")}; error_log ${join(folder, "error.log")};`;
  const path = join(folder, "nginx.conf");
  await writeFile(path, `${main}\nevents {}\nhttp {\naccess_log off;\n${places.join("\n")}\n${site}\n}\n`);
  return ["nginx", "-p", folder, "-e", join(folder, "error.log"), "-c", path];
}

/** Writes the document's configuration of Caddy, with a certificate of its own, as `prepareNginx` does. */
export async function prepareCaddy({ folder, port, studioPort, namesPeople }: ProxyPlan): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const [plain = "", naming = ""] = readBlocks("caddy");
  const args = ["hash-password", "--plaintext", proxyUser.password];
  const hash = spawnSync("caddy", args, { encoding: "utf8" }).stdout.trim();
  const site = adapt(namesPeople ? naming : plain, {
    [`${hostName} {`]: `https://${hostName}:${port} {\n  tls internal`,
    "127.0.0.1:7331": `127.0.0.1:${studioPort}`,
    ...(namesPeople && { PASSWORD_HASH: hash }),
  });
  const options = `{\n  admin off\n  skip_install_trust\n  auto_https disable_redirects\n  storage file_system ${folder}\n}\n`;
  const path = join(folder, "Caddyfile");
  await writeFile(path, `${options}${site}`);
  return ["caddy", "run", "--adapter", "caddyfile", "--config", path];
}
