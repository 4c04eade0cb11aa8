import type { OrchestratorHealth } from "#server/db/fleet/leadership.ts";
import type { Person } from "#server/db/people/people.ts";
import { pages } from "#server/domain/pages.ts";
import { Keys } from "#app/_components/palette/Keys.tsx";
import { Link } from "#app/_ui/Link.tsx";
import { Menu, Slots } from "./Menu.tsx";
import { MainNav } from "./Nav.tsx";
import { Notices } from "./Notices.tsx";
import type { Theme } from "./theme.ts";

type Props = { theme: Theme; health: OrchestratorHealth | undefined; person: Person | null };

export function Header({ theme, health, person }: Props) {
  return (
    <header className="sticky top-0 z-30 border-b border-line bg-surface">
      <div className="mx-auto flex min-h-12 max-w-[110rem] flex-wrap items-center gap-x-4 px-3 sm:px-6">
        <Link
          href={pages.sweeps}
          className="flex items-center gap-2 font-semibold"
          aria-label="ARLArena Studio, sweeps"
        >
          <Logo />
          <span className="max-[26rem]:hidden">ARLArena Studio</span>
        </Link>
        <MainNav />
        <div className="ml-auto flex items-center gap-1">
          <Keys />
          <Notices />
          <Slots initial={health} />
          <Menu theme={theme} person={person} />
        </div>
      </div>
    </header>
  );
}

export function Logo() {
  return (
    <svg viewBox="0 0 32 32" className="size-6 shrink-0" aria-hidden="true">
      <rect width="32" height="32" rx="7" className="fill-accent" />
      <g fill="none" className="stroke-on-accent" strokeWidth="3" strokeLinecap="round">
        <path d="M6 23c5 0 5-13 10-13s4 9 10 5" />
        <path d="M6 23c6 0 9-3 13-5" opacity="0.55" />
      </g>
    </svg>
  );
}
