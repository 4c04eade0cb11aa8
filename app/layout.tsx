import type { Metadata, Viewport } from "next";
import { cookies, headers } from "next/headers";
import type { ReactNode } from "react";
import { readHealth } from "#server/db/fleet/heartbeat.ts";
import { Header } from "#app/_components/header/Header.tsx";
import { SubNav } from "#app/_components/header/Nav.tsx";
import { parseTheme, themeCookie } from "#app/_components/header/theme.ts";
import { TrpcProvider } from "./_trpc/client.tsx";
import { listRefusals, personOf, type Caller } from "#server/api/people/caller.ts";
import { readCaller } from "./_trpc/caller.server.ts";
import { services } from "./_trpc/services.server.ts";
import { readTicket } from "./_trpc/ticket.server.ts";
import { RefusalProvider } from "./_ui/refusals.tsx";
import { ToastProvider } from "./_ui/Toast.tsx";
import { fontVariables } from "./fonts.ts";
import "./globals.css";

const [name, description] = [
  "ARLArena Studio",
  "Experiment sweeps and stability analysis for agentic reinforcement learning",
];

export async function generateMetadata(): Promise<Metadata> {
  const asked = await headers();
  // A link preview's picture needs an absolute address. Only known hosts pass the proxy.
  const scheme = asked.get("x-forwarded-proto") === "https" ? "https" : "http";
  return {
    metadataBase: new URL(`${scheme}://${asked.get("host") ?? "localhost"}`),
    title: { default: name, template: `%s · ${name}` },
    description,
    // Not "no-referrer": browsers then send forms with `Origin: null`, which is refused.
    referrer: "same-origin",
    manifest: "/manifest.webmanifest",
    icons: { icon: [{ url: "/icon.svg", type: "image/svg+xml" }, { url: "/favicon.ico" }], apple: "/icon-192.png" },
    openGraph: { siteName: name, description, images: [{ url: "/social.png", width: 1280, height: 640, alt: name }] },
  };
}

export const viewport: Viewport = { width: "device-width", initialScale: 1 };

export default async function RootLayout({ children }: { children: ReactNode }) {
  const theme = parseTheme((await cookies()).get(themeCookie)?.value);
  const asked = await headers();
  // The header is rendered even while the database is down, because it reports that.
  const caller = await readCaller(asked).catch((): Caller | undefined => undefined);
  const signedIn = caller === undefined ? readTicket(asked) !== undefined : caller.kind !== "stranger";
  const health = signedIn ? await readHealth(services().database).catch(() => undefined) : undefined;
  return (
    <html lang="en" data-theme={theme} className={fontVariables}>
      <body>
        <a
          href="#content"
          className="absolute top-2 left-2 z-50 -translate-y-16 rounded-md bg-accent px-3 py-1.5 text-on-accent focus:translate-y-0"
        >
          Skip to content
        </a>
        <TrpcProvider>
          <RefusalProvider refusals={caller ? listRefusals(caller) : {}}>
            <ToastProvider>
              {signedIn && <Header theme={theme} health={health} person={caller ? personOf(caller) : null} />}
              {signedIn && <SubNav />}
              <main id="content" tabIndex={-1} className="mx-auto max-w-[110rem] px-3 py-5 outline-none sm:px-6">
                {children}
              </main>
            </ToastProvider>
          </RefusalProvider>
        </TrpcProvider>
      </body>
    </html>
  );
}
