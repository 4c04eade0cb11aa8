"use client";

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useSyncExternalStore } from "react";
import { formatCount } from "#app/_charts/format.ts";
import type { OrchestratorHealth } from "#server/db/fleet/leadership.ts";
import type { Person } from "#server/db/people/people.ts";
import { corner, type MenuEntry } from "#server/domain/pages.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { buttonClasses } from "#app/_ui/Button.tsx";
import { classes } from "#app/_ui/classes.ts";
import { Icon, type IconName } from "#app/_ui/Icon.tsx";
import { Link } from "#app/_ui/Link.tsx";
import { Popover } from "#app/_ui/Popover.tsx";
import { StatusPill, type Tone } from "#app/_ui/StatusPill.tsx";
import { describeFullDisks } from "#server/domain/runs/runStatus.ts";
import { nextTheme, onThemeChange, readTheme, setTheme, type Theme } from "./theme.ts";

const opener = "rounded-md px-1.5 py-1 text-muted hover:bg-sunken hover:text-text";
const item = classes(buttonClasses("quiet"), "w-full justify-start text-text");

/** Shows the trainer slots in use, or the reason why no run starts, with links to the pages of the fleet. */
export function Slots({ initial }: { initial: OrchestratorHealth | undefined }) {
  const trpc = useTrpc();
  const renewal = { refetchInterval: 5000, staleTime: 5000, initialData: () => initial };
  const { data, error } = useQuery(trpc.system.health.queryOptions(undefined, renewal));
  const { tone, icon, text, short, sentence } = prepareHealth(error ? "unreachable" : data);
  return (
    <>
      <Popover
        label={`Slots: ${text}`}
        buttonClassName={opener}
        isMenu
        button={
          <StatusPill tone={tone} icon={icon}>
            <span className="sm:hidden">{short}</span>
            <span className="max-sm:hidden">{text}</span>
          </StatusPill>
        }
      >
        {(close) => (
          <>
            <p className="px-2 pt-1 pb-2 text-muted">{sentence}</p>
            <Pages pages={corner.fleet.pages} onOpen={close} />
          </>
        )}
      </Popover>
      <span role="status" className="sr-only">
        {text}. {sentence}
      </span>
    </>
  );
}

const themeLooks: Record<Theme, { icon: IconName; title: string }> = {
  auto: { icon: "auto", title: "Theme: system" },
  light: { icon: "sun", title: "Theme: light" },
  dark: { icon: "moon", title: "Theme: dark" },
};

type Props = {
  theme: Theme;
  /** Signed-in person; null for the owner of the installation, who has no user name. */
  person: Person | null;
};

export function Menu({ theme, person }: Props) {
  return (
    <Popover label="Menu" buttonClassName={opener} button={<Icon name="person" />} isMenu>
      {(close) => (
        <>
          {person && (
            <p className="truncate px-2 pt-1 pb-2 text-muted">
              {person.name}, {person.role}
            </p>
          )}
          <Pages pages={corner.people.pages} onOpen={close}>
            <li>
              <ThemeButton initial={theme} />
            </li>
            <li>
              <form action="/api/sign-out" method="post">
                <button type="submit" className={item}>
                  <Icon name="signOut" /> Sign out
                </button>
              </form>
            </li>
          </Pages>
        </>
      )}
    </Popover>
  );
}

type PagesProps = { pages: readonly MenuEntry[]; onOpen: () => void; children?: ReactNode };

function Pages({ pages, onOpen, children }: PagesProps) {
  return (
    <ul>
      {pages.map(({ path, title }) => (
        <li key={path}>
          <Link href={path} className={item} onClick={onOpen}>
            {title}
          </Link>
        </li>
      ))}
      {children}
    </ul>
  );
}

function ThemeButton({ initial }: { initial: Theme }) {
  const theme = useSyncExternalStore(onThemeChange, readTheme, () => initial);
  return (
    <button type="button" className={item} onClick={() => setTheme(nextTheme(theme))}>
      <Icon name={themeLooks[theme].icon} /> {themeLooks[theme].title}
    </button>
  );
}

type Words = { tone: Tone; icon: IconName; text: string; short: string; sentence: string };

const notRunning =
  "While the orchestrator is stopped, no run starts and no new metrics appear. Start the studio again on its server.";

export function prepareHealth(health: OrchestratorHealth | "unreachable" | undefined): Words {
  if (health === undefined) return { tone: "neutral", icon: "clock", text: "Checking…", short: "…", sentence: "" };
  if (health === "unreachable") {
    const sentence = "The server or its database does not answer. This page may be out of date.";
    return { tone: "bad", icon: "warning", text: "Server not reachable", short: "Offline", sentence };
  }
  if (health.state !== "alive") {
    const sentence = `The orchestrator launches runs and reads their logs. ${notRunning}`;
    return { tone: "warn", icon: "warning", text: "Orchestrator not running", short: "Stopped", sentence };
  }
  const { slots, slotsUsed, fullDisks } = health;
  if (fullDisks.length > 0) {
    const sentence =
      "Runs on a node with a full disk write a checkpoint and wait until disk space is free. The page Nodes shows the free space.";
    return {
      tone: "bad",
      icon: "pause",
      text: `Paused: ${describeFullDisks(fullDisks)}`,
      short: "Disk full",
      sentence,
    };
  }
  const text = `${slotsUsed} of ${formatCount(slots, "slot")} busy`;
  const sentence = "The orchestrator is running. Each slot takes one run at a time.";
  return {
    tone: slotsUsed > 0 ? "accent" : "good",
    icon: "check",
    text,
    short: `${slotsUsed}/${slots} busy`,
    sentence,
  };
}
