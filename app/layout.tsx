import type { Metadata, Viewport } from "next";
import localFont from "next/font/local";
import { cookies, headers } from "next/headers";
import type { ReactNode } from "react";
import { readHealth } from "#server/db/fleet/leadership.ts";
import { Header } from "#app/_components/header/Header.tsx";
import { SubNav } from "#app/_components/header/Nav.tsx";
import { parseTheme, themeCookie } from "#app/_components/header/theme.ts";
import { TrpcProvider } from "./_trpc/client.tsx";
import { type Caller, listRefusals, personOf } from "#server/api/people/caller.ts";
import { readCaller } from "./_trpc/caller.server.ts";
import { services } from "./_trpc/services.server.ts";
import { readTicket } from "./_trpc/session.server.ts";
import { RefusalProvider } from "./_ui/refusals.tsx";
import { ToastProvider } from "./_ui/Toast.tsx";
import { LoadingBar } from "./_ui/LoadingBar.tsx";
import "./globals.css";

// Local files, unlike @fontsource's style sheets, are preloaded with fallbacks of equal width: nothing shifts.
const sans = localFont({
  src: "../node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2",
  weight: "100 900",
  variable: "--font-inter",
  fallback: ["system-ui", "sans-serif"],
});

/** Font with the Greek letters that name hyperparameters, loaded when a page contains one. */
const greek = localFont({
  src: "../node_modules/@fontsource-variable/inter/files/inter-greek-wght-normal.woff2",
  weight: "100 900",
  variable: "--font-inter-greek",
  declarations: [{ prop: "unicode-range", value: "U+0370-03FF" }],
  preload: false,
  adjustFontFallback: false,
});

/** Font for ids, tokens and code; it is not on every page, so it is not preloaded. */
const mono = localFont({
  src: "../node_modules/@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2",
  weight: "100 800",
  variable: "--font-jetbrains",
  fallback: ["ui-monospace", "monospace"],
  adjustFontFallback: false,
  preload: false,
});

const fontVariables = [sans, greek, mono].map((font) => font.variable).join(" ");

const [name, description] = [
  "ARLArena Studio",
  "Experiment sweeps and stability analysis for agentic reinforcement learning",
];

export async function generateMetadata(): Promise<Metadata> {
  const asked = await headers();
  // The preview image of a shared link needs an absolute URL. Only known hosts pass the proxy.
  const scheme = asked.get("x-forwarded-proto") === "https" ? "https" : "http";
  return {
    metadataBase: new URL(`${scheme}://${asked.get("host") ?? "localhost"}`),
    title: { default: name, template: `%s · ${name}` },
    description,
    // With "no-referrer", browsers would send forms with `Origin: null`, which the server refuses.
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
  // The header is rendered even while the database is unavailable, because the header reports this.
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
          <LoadingBar />
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
