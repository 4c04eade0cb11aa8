import { createTransport } from "nodemailer";
import type { Smtp } from "#server/domain/fleet/alerts/alertsFile.ts";
import { NotDelivered } from "./post.ts";
import { resolveAllowed } from "./resolveAllowed.ts";

type Letter = { to: readonly string[]; subject: string; text: string; messageId: string };

/** Hands a letter to the SMTP server of `alerts.yaml`. */
export async function sendMail(smtp: Smtp, letter: Letter, allowPrivate: readonly string[]): Promise<void> {
  const { address } = await resolveAllowed(smtp.host, allowPrivate);
  const { user, password: pass = "" } = smtp;
  const transport = createTransport({
    host: address,
    port: smtp.port,
    secure: smtp.security === "tls",
    requireTLS: smtp.security === "starttls",
    ignoreTLS: smtp.security === "none",
    // The certificate is checked against the host name, not the address.
    tls: { servername: smtp.host },
    ...(user !== undefined && { auth: { user, pass } }),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    await transport.sendMail({ from: smtp.from, ...letter, to: [...letter.to] });
  } catch (error) {
    throw new NotDelivered(`${smtp.host}: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    transport.close();
  }
}
